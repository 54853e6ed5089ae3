import { onlyOne, parseKey } from '../../core/api/parameters.ts'
import { KEY, V3 } from '../../core/api/surface.ts'
import { AFTER, waitForCursor } from '../../core/api/wait-for-cursor.ts'
import { invalidParameter, NOT_SIGNED, notFound, ServiceError } from '../../core/basics/errors.ts'
import { signJwt } from '../../core/config/signing-keys.ts'
import { parseWeights } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type Query, route } from '../../core/http/route.ts'
import { addLocation } from '../passports/passport.ts'
import { findIssuer } from './issuer.ts'
import { toSnapshot } from './signed-snapshot.ts'

const SNAPSHOT_TYPE = 'application/vc+jwt'

/** The parameters that would make a snapshot another one than that of the current passport. */
const REFUSED = {
  as_of: { description: 'Refused' },
  include: { description: 'Refused' },
  select: { description: 'Refused' },
}

const SNAPSHOT = {
  schema: {
    type: 'string',
    description:
      'A W3C Verifiable Credential 2.0 as a JWT, signed with a key of `/.well-known/jwks.json`. It is valid for 30 days and has all inputs of the score, but no name, account or wallet',
  },
  example: 'eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.eyJpc3MiOiJkaWQ6d2ViOmV4YW1wbGUuY29tIn0.c2ln',
}

/** Responds to requests for a passport that accept a signed snapshot. */
export const signedSnapshot = route(V3, {
  name: 'v3_passport',
  path: '/api/v3/passports/:key',
  isFor: wantsSnapshot,
  params: { key: KEY },
  query: { ...REFUSED, after: AFTER },
  alternatives: { [SNAPSHOT_TYPE]: SNAPSHOT },
  async handle(request, context, query) {
    checkSnapshotQuery(query)
    const { key } = request.params
    const parsed = parseKey(key)
    await waitForCursor(context, query.after)
    const [match] = await context.store.passports.findByKeys([parsed], { credentials: false })
    const { passport } = onlyOne(key, match)
    return addLocation(await respondSnapshot(request, context, passport.id), passport)
  },
})

/** Whether `Accept` names the type of snapshots, and does not prefer JSON to it. */
function wantsSnapshot({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? ''
  // Most requests do not name the type, and parsing the header takes time.
  if (!accept.toLowerCase().includes(SNAPSHOT_TYPE)) return false
  const weights = parseWeights(accept)
  const weight = weights.get(SNAPSHOT_TYPE) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? weights.get('*/*') ?? 0)
}

function checkSnapshotQuery(query: Query): void {
  const name = Object.keys(REFUSED).find((parameter) => query[parameter] !== undefined)
  const reason = `"Accept: ${SNAPSHOT_TYPE}": a snapshot has the current score and fixed fields.`
  if (name !== undefined) throw invalidParameter(name, `${name} is not accepted with ${reason}`)
}

/** The signed snapshot of a passport. Throws `not_acceptable` if the service does not sign, and `calculating`. */
async function respondSnapshot(request: Request, context: Context, id: number): Promise<Response> {
  const issuer = findIssuer(request, context)
  if (!issuer) throw new ServiceError('not_acceptable', `${NOT_SIGNED} Accept application/json.`)
  const explained = await context.explain({ id })
  if (!explained) throw notFound()
  const wait = `A new score of passport ${explained.passport.id} is being calculated. Try again shortly.`
  if (explained.passport.stale) throw new ServiceError('calculating', wait)
  const { rules } = explained
  const rulesDigest = rules === null ? null : ((await context.findDigests([rules])).get(rules) ?? null)
  const payload = toSnapshot(explained, { ...issuer, rulesDigest, now: context.now() })
  const response = json(context, signJwt(payload, { ...issuer, type: 'vc+jwt', contentType: 'vc' }))
  response.headers.set('Content-Type', SNAPSHOT_TYPE)
  return response
}
