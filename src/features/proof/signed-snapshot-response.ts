import { invalidParameter, NOT_SIGNED, notFound, ServiceError } from '../../core/basics/errors.ts'
import { signJwt } from '../../core/config/signing-keys.ts'
import { parseWeights } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import type { Context, Query } from '../../core/http/route.ts'
import { findIssuer } from './issuer.ts'
import { toSnapshot } from './signed-snapshot.ts'

export const SNAPSHOT_TYPE = 'application/vc+jwt'

/** Whether `Accept` names the type of snapshots, and does not prefer JSON to it. */
export function wantsSnapshot({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? ''
  // Most requests do not name the type, and parsing the header takes time.
  if (!accept.toLowerCase().includes(SNAPSHOT_TYPE)) return false
  const weights = parseWeights(accept)
  const weight = weights.get(SNAPSHOT_TYPE) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? weights.get('*/*') ?? 0)
}

/** The parameters that would make a snapshot another one than that of the current passport. */
const REFUSED = ['as_of', 'include', 'select']

export function checkSnapshotQuery(query: Query): void {
  const name = REFUSED.find((each) => query[each] !== undefined)
  const reason = `"Accept: ${SNAPSHOT_TYPE}": a snapshot has the current score and fixed fields.`
  if (name !== undefined) throw invalidParameter(name, `${name} is not accepted with ${reason}`)
}

/** The signed snapshot of a passport. Throws `not_acceptable` if the service does not sign, and `calculating`. */
export async function respondSnapshot(request: Request, context: Context, id: number): Promise<Response> {
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
