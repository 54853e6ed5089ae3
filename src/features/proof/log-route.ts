import { V3 } from '../../core/api/surface.ts'
import { signJwt } from '../../core/config/signing-keys.ts'
import { Log, type WireLog } from '../../core/history/event-schema.ts'
import { presentTime } from '../../core/history/present-event.ts'
import { json } from '../../core/http/response.ts'
import { type Context, route } from '../../core/http/route.ts'
import { findIssuer } from './issuer.ts'
import { type Fold, shareFold } from './share-fold.ts'

/** Events that a request adds to the head. Each takes about 33 microseconds in the writer thread. */
const MOST_FOLDED = 5000

/** Each event is added once, so the price only limits how often a client can wait for the writer thread. */
const FOLDED_PER_UNIT = 25

export const eventLog = route(V3, {
  name: 'v3_log',
  path: '/api/v3/log',
  id: 'getLog',
  summary: 'Get the head of the event log',
  description: `The head of a hash chain over all events: as long as it stays on the chain, nobody has changed the events before it. A request adds at most ${MOST_FOLDED} new events to the head, and counts as one request for each ${FOLDED_PER_UNIT} of them; while \`length\` is less than \`last\`, repeat the request.`,
  response: Log,
  handle: getLog,
})

/** The calls of the writer thread by the store that makes them. */
const sharedFolds = new WeakMap<Fold, ReturnType<typeof shareFold>>()

async function getLog(request: Request, context: Context): Promise<Response> {
  const { fold } = context.store.events
  const share = sharedFolds.getOrInsertComputed(fold, shareFold)
  const { name, folded, ...chain } = await share(MOST_FOLDED)
  context.charge(Math.ceil(folded / FOLDED_PER_UNIT))
  const state = { log: name, ...chain, time: presentTime(context.now()) }
  const issuer = findIssuer(request, context)
  const signed = issuer && signJwt({ iss: issuer.did, ...state }, { ...issuer, type: 'passport-log+jwt' })
  const body: WireLog = { ...state, signed: signed ?? null }
  return json(context, JSON.stringify(body))
}
