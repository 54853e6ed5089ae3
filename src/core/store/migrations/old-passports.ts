import type { Credential } from '../../passport/credential.ts'
import { NO_SCORES } from '../../passport/passport.ts'
import type { LaterFields } from '../../passport/record.ts'
import { type CredentialsRow, toCredentialsRow, toUnscoredRow } from '../rows/credential.ts'
import { type StoredRow, toRecordRow, toScores } from '../rows/passport.ts'

/** The columns of all older schemas. Those of hidden passports and expiring scores came after 0.2.1. */
export type OldPassport = Omit<StoredRow, 'profile' | 'given' | 'rescore_at' | 'hidden_at'> &
  Partial<Pick<StoredRow, 'rescore_at' | 'hidden_at'>> & {
    display_name: string
    bio: string
    location: string
    /** JSON, as the next ones. */
    tags: string
    socials: string
    /** Empty if no field is known. */
    later_fields: string
    given_human: number
  }

/** `hasEvidence`: whether a rule set may have replaced the scores of the record. They are unknown then. */
export function toNewPassport(old: OldPassport, hasEvidence: boolean): StoredRow {
  const { display_name, bio, location, tags, later_fields, given_human, ...row } = old
  const later: LaterFields = later_fields === '' ? {} : JSON.parse(later_fields)
  const given = toRecordRow({
    ...later,
    id: row.id,
    human: row.human === 1,
    givenHuman: given_human === 1,
    givenScores: row.rules === '' || !hasEvidence ? toScores(row) : NO_SCORES,
    connections: row.connections,
    mainWallet: row.main_wallet,
    verifiedWallets: JSON.parse(row.verified_wallets),
    profile: { bio, displayName: display_name, location, tags: JSON.parse(tags) },
    socials: JSON.parse(row.socials),
  })
  return { rescore_at: null, hidden_at: null, ...row, ...given }
}

/** The stored form, and the V1 response of a visible passport. Each is `null` if there is none. */
export type OldCredentials = { id: number; data: string | null; body: string | null }

const BODY_START = '{"passport_credentials":'

/** Whether there is a credential that a rule set may have scored. */
export const hasCredentials = ({ data, body }: OldCredentials): boolean =>
  ![null, '[]', `${BODY_START}[]}`].includes(data || body)

export function toNewCredentials({ data, body }: OldCredentials): CredentialsRow {
  const shown = body?.slice(BODY_START.length, -1)
  // Empty: the record gave what the response shows.
  if (!data) return { shown: shown ?? '[]', given: null, issuers: '' }
  const credentials: Credential[] = JSON.parse(data)
  const row = toCredentialsRow(credentials)
  return shown === undefined || shown === row.shown ? row : toUnscoredRow(shown, credentials)
}
