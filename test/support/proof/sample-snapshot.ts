import { canonicalJson, sha256 } from '../../../src/core/basics/canonical-json.ts'
import { didOf, signJwt } from '../../../src/core/config/signing-keys.ts'
import { NOON } from '../store/records.ts'
import { KEYS } from './snapshots.ts'

export const DAY = 86_400_000

export const JWKS = { keys: KEYS.listed }

const rule = {
  category: 'Skills',
  max_score: 40,
  convert: 'sqrt',
  multiplier: 6,
  accounts: 'best',
  proves_human: false,
}

/** A rule set with every conversion, a cap, and a type whose accounts are summed. */
export const RULES = {
  version: 'sample',
  caps: { Skills: 50 },
  types: {
    github: { ...rule, name: 'GitHub' },
    contracts: { ...rule, name: 'Contracts', convert: 'ln', multiplier: 10, accounts: 'sum' },
    passport: { ...rule, name: 'Passport', category: 'Identity', convert: 'none', proves_human: true },
    account: { ...rule, name: 'Account', category: 'Activity', convert: 'years', multiplier: 2.5 },
  },
}

export const STAMP = 'sample+1a2b3c4d'

const HOST = 'passports.example.com'
export const DID = didOf(`https://${HOST}`)
const ID = `https://${HOST}/api/v3/passports/7`

/** min(round(√9 × 6), 40) = 18, ln(3 + 4.5) × 10 = 20, 12.5 of the record, 1 × 6, round(1.5 years × 2.5) = 4. */
export const SUBJECT = {
  id: ID,
  passport_id: 7,
  score: 60,
  activity_score: 4,
  identity_score: 6,
  skills_score: 50.5,
  human_checkmark: true,
  calculated_at: NOON,
  method: 'rules',
  rules: STAMP as string | null,
  rules_digest: sha256(canonicalJson(RULES)) as string | null,
  inputs: [
    { type: 'github', kind: 'number', amount: 4 },
    { type: 'github', kind: 'number', amount: 9 },
    { type: 'contracts', kind: 'number', amount: 3 },
    { type: 'contracts', kind: 'number', amount: 4.5 },
    { type: 'passport', kind: 'flag', amount: 1 },
    { type: 'account', kind: 'date', amount: NOON - 547.5 * DAY },
  ],
  record: { human: false, credentials: [{ type: 'talk', category: 'Skills', score: 12.5, max_score: 20 }] },
  event: 'k3f9-12' as string | null,
}

const instant = (time: number) => new Date(time).toISOString()

export const PAYLOAD = {
  '@context': [
    'https://www.w3.org/ns/credentials/v2',
    'https://www.w3.org/ns/credentials/undefined-terms/v2',
  ],
  type: ['VerifiableCredential', 'PassportScore'],
  issuer: DID,
  iss: DID,
  validFrom: instant(NOON),
  validUntil: instant(NOON + 30 * DAY),
  nbf: NOON / 1000,
  exp: NOON / 1000 + 30 * 86_400,
  sub: ID,
  credentialSubject: SUBJECT,
}

export const signPayload = (payload: object, did = DID) =>
  signJwt(payload, { keys: KEYS, did, type: 'vc+jwt', contentType: 'vc' })

export const signSubject = (changes: Partial<typeof SUBJECT>) =>
  signPayload({ ...PAYLOAD, credentialSubject: { ...SUBJECT, ...changes } })

/** A snapshot by another origin that is valid now. */
export function signNow(origin: string, changes: Partial<typeof SUBJECT> = {}): string {
  const from = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const id = `${origin}/api/v3/passports/7`
  return signPayload(
    {
      ...PAYLOAD,
      issuer: didOf(origin),
      iss: didOf(origin),
      validFrom: instant(from),
      validUntil: instant(from + 30 * DAY),
      nbf: from / 1000,
      exp: from / 1000 + 30 * 86_400,
      sub: id,
      credentialSubject: { ...SUBJECT, id, ...changes },
    },
    didOf(origin),
  )
}
