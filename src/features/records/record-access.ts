import { quote } from '../../core/basics/text/quote.ts'
import type { Principal } from '../../core/http/client-identity.ts'
import { CREDENTIAL_ACCOUNT } from '../../core/passport/passport.ts'
import type { IncomingRecord } from '../../core/passport/record.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import type { RuleSetShape } from '../../core/passport/rules/rule-set.ts'

export type Writer = Pick<Principal, 'scopes' | 'types'>

const WRITE = 'write:'

/** A message names at most this many types. */
const MOST_NAMED = 20

export const isOperator = ({ scopes }: Writer) => scopes.includes('write:*')

/**
 * Returns a function that checks whether the principal may write a record, and names the issuer in it. The function
 * throws `RecordError`.
 */
export function createRecordAccess(writer: Writer, { types }: Pick<RuleSetShape, 'types'>) {
  if (isOperator(writer)) return (record: IncomingRecord) => record
  // A key has at most one scope that writes.
  const scope = writer.scopes.find((scope) => scope.startsWith(WRITE)) ?? WRITE
  const issuer = scope.slice(WRITE.length)
  const own = Object.keys(types).filter((type) => types[type]?.issuer === issuer)
  const mayWrite = new Set([...writer.types, ...own])
  const typeNames = [...mayWrite].slice(0, MOST_NAMED).map((type) => quote(type))
  const accepted = [...typeNames, ...(mayWrite.size > MOST_NAMED ? ['...'] : [])].join(', ') || 'no type yet'

  return (record: IncomingRecord): IncomingRecord => {
    if (record.kind === 'passport' || record.kind === 'removal')
      throw new RecordError('passport_id', `needs a key with the scope write:*, and this key has ${scope}`)
    const { type, account, issuer: pointIssuer } = record.point
    if (!mayWrite.has(type))
      throw new RecordError('type', `must be one that ${scope} may write: ${accepted}, got ${quote(type)}`)
    // Such a data point would be deleted with the credentials of the record, and count for several passports.
    if (account.startsWith(CREDENTIAL_ACCOUNT))
      throw new RecordError(
        'account',
        `must not begin with ${quote(CREDENTIAL_ACCOUNT)}, got ${quote(account)}`,
      )
    if (pointIssuer !== undefined && pointIssuer !== issuer)
      throw new RecordError('issuer', `must be absent or ${quote(issuer)}, got ${quote(pointIssuer)}`)
    if (record.kind === 'withdrawal') return { ...record, point: { ...record.point, issuer } }
    // An issuer cannot claim that it wrote a data point earlier than it did.
    const { addedAt: _, ...point } = record.point
    return { ...record, point: { ...point, issuer } }
  }
}
