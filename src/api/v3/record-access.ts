import { RecordError } from '../../domain/record/parse-record.ts'
import type { IncomingRecord } from '../../domain/record/record.ts'
import type { RuleSetShape } from '../../domain/rule-set.ts'
import { quote } from '../../domain/text/quote.ts'
import type { Principal } from '../client-identity.ts'

const WRITE = 'write:'

export const isOperator = ({ scopes }: Principal) => scopes.includes('write:*')

/**
 * Returns a function that checks whether the principal may write a record, and names the issuer in it. The function throws
 * `RecordError`.
 */
export function createRecordAccess(principal: Principal, { types }: Pick<RuleSetShape, 'types'>) {
  if (isOperator(principal)) return (record: IncomingRecord) => record
  const issuers = principal.scopes.flatMap((scope) =>
    scope.startsWith(WRITE) ? scope.slice(WRITE.length) : [],
  )
  /** The issuer of each type that the principal may write. */
  const issuerOf = new Map(principal.types.map((type) => [type, issuers[0] as string]))
  for (const [type, { issuer }] of Object.entries(types))
    if (issuer !== undefined && issuers.includes(issuer)) issuerOf.set(type, issuer)
  const scopes = issuers.map((issuer) => WRITE + issuer).join(' and ')
  const accepted = [...issuerOf.keys()].map((type) => quote(type)).join(', ') || 'no type yet'

  return (record: IncomingRecord): IncomingRecord => {
    if (record.kind === 'passport' || record.kind === 'removal')
      throw new RecordError('passport_id', `needs a key with the scope write:*, and this key has ${scopes}`)
    const { type, issuer: named } = record.point
    const issuer = issuerOf.get(type)
    if (issuer === undefined)
      throw new RecordError('type', `must be one that ${scopes} may write: ${accepted}, got ${quote(type)}`)
    if (named !== undefined && named !== issuer)
      throw new RecordError('issuer', `must be absent or ${quote(issuer)}, got ${quote(named)}`)
    if (record.kind === 'withdrawal') return { ...record, point: { ...record.point, issuer } }
    // An issuer cannot claim that it wrote a data point earlier than it did.
    const { addedAt: _, ...point } = record.point
    return { ...record, point: { ...point, issuer } }
  }
}
