import { invalidParameter, NOT_SIGNED, notFound, ServiceError } from '../../domain/errors.ts'
import { didOf, signJwt } from '../../domain/proof/signing-keys.ts'
import { toSnapshot } from '../../domain/proof/snapshot.ts'
import { acceptsMore } from '../rendered-page.ts'
import { json } from '../response.ts'
import type { Context, Query } from '../route.ts'
import { issuerOf } from './issuer.ts'

export const SNAPSHOT_TYPE = 'application/vc+jwt'

export const wantsSnapshot = (request: Request): boolean =>
  acceptsMore(request, SNAPSHOT_TYPE, 'application/json')

/** The parameters that would make a snapshot another one than that of the current passport. */
const REFUSED = ['as_of', 'include', 'select']

export function checkSnapshotQuery(query: Query): void {
  const [name] = REFUSED.filter((each) => query[each] !== undefined)
  if (name !== undefined)
    throw invalidParameter(
      name,
      `${name} is not accepted with "Accept: ${SNAPSHOT_TYPE}": a snapshot has the current score and fixed fields.`,
    )
}

/** The signed snapshot of a passport. Throws `not_acceptable` if the service does not sign, and `calculating`. */
export async function respondSnapshot(request: Request, context: Context, id: number): Promise<Response> {
  const { signing, explain, findDigests, now } = context
  const origin = issuerOf(request, context)
  if (!signing || origin === undefined)
    throw new ServiceError('not_acceptable', `${NOT_SIGNED} Accept application/json.`)
  const explained = await explain({ id })
  if (!explained) throw notFound()
  if (explained.passport.stale)
    throw new ServiceError(
      'calculating',
      `A new score of passport ${explained.passport.id} is being calculated. Try again shortly.`,
    )
  const { rules } = explained
  const rulesDigest = rules === null ? null : ((await findDigests([rules])).get(rules) ?? null)
  const did = didOf(origin)
  const payload = toSnapshot(explained, { origin, did, rulesDigest, now: now() })
  const jwt = signJwt(payload, { keys: signing, did, type: 'vc+jwt', contentType: 'vc' })
  const response = json(context, jwt)
  response.headers.set('Content-Type', SNAPSHOT_TYPE)
  return response
}
