import { createPrivateKey, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sha256 } from '../../../src/core/basics/canonical-json.ts'
import { rotateSigningKeys, signJwt } from '../../../src/core/config/signing-keys.ts'
import { NOON } from '../store/records.ts'
import { DAY, DID, PAYLOAD, RULES, STAMP, SUBJECT, signPayload, signSubject } from './sample-snapshot.ts'
import { KEYS } from './snapshots.ts'

/** What a verifier has; by default the keys and rules of the sample, at noon. */
export type Given = { keys?: unknown; rules?: unknown; now?: number }

export const VALID = signPayload(PAYLOAD)
const [HEADER = '', BODY = '', SIGNATURE = ''] = VALID.split('.')

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const toNamed = (did: string) => ({
  keys: KEYS.listed.map((key) => ({ ...key, kid: `${did}#${key.kid}` })),
})

/** Signs with the issuer's key, with changed members of the header. */
function signHeader(changes: object, body = BODY): string {
  const signed = `${encode({ ...JSON.parse(Buffer.from(HEADER, 'base64url').toString()), ...changes })}.${body}`
  const key = createPrivateKey({ key: KEYS.active, format: 'jwk' })
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

/** The rule set of an attacker, whose stamp is the same. */
const OTHER_RULES = { ...RULES, types: { ...RULES.types, github: { ...RULES.types.github, multiplier: 7 } } }
const NO_RULES = { version: 'sample', types: { github: { ...RULES.types.github, convert: 'cube' } } }
const OTHER_KEYS = rotateSigningKeys(undefined, NOON)
const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: KEYS.active.kid }
const OTHER_SUBJECT = 'https://passports.example.com/api/v3/passports/8'
const { inputs, record } = SUBJECT
const OTHER_ISSUER = 'did:web:other.example.com'

export const TAMPERED: [kind: string, failure: string, jwt: string, given?: Given][] = [
  ['a missing signature', 'not_a_jwt', `${HEADER}.${BODY}`],
  ['a fourth part', 'not_a_jwt', `${VALID}.${SIGNATURE}`],
  ['an empty text', 'not_a_jwt', ''],
  ['a character that is not base64url', 'not_base64url', VALID.replace('.', '+.')],
  ['padding', 'not_base64url', `${VALID}==`],
  [
    'other unused bits in the signature',
    'not_base64url',
    VALID.slice(0, -1) +
      (VALID.endsWith('A') ? 'B' : `${String.fromCharCode(VALID.charCodeAt(VALID.length - 1) + 1)}`),
  ],
  ['a header that is not JSON', 'not_json', `AAAA.${BODY}.${SIGNATURE}`],
  ['a payload that is a list', 'not_json', signHeader({}, encode([PAYLOAD]))],
  ['no algorithm', 'wrong_algorithm', `${encode({ alg: 'none', typ: 'vc+jwt', cty: 'vc' })}.${BODY}.`],
  ['another algorithm', 'wrong_algorithm', signHeader({ alg: 'HS256' })],
  ['another kind of token', 'wrong_type', signHeader({ typ: 'passport-log+jwt' })],
  ['another kind of contents', 'wrong_content_type', signHeader({ cty: 'json' })],
  ['a critical extension', 'unknown_extension', signHeader({ crit: ['b64'], b64: false })],
  ['a key id without an issuer', 'wrong_key_id', signHeader({ kid: KEYS.active.kid })],
  ['a key id with the path of another file', 'wrong_key_id', signHeader({ kid: `${DID}:evil#1` })],
  [
    'a key id that is a sentence',
    'wrong_key_id',
    signHeader({ kid: `${DID}#1 of https://talent.example. Verified twice` }),
  ],
  ['a key id of 65 characters', 'wrong_key_id', signHeader({ kid: `${DID}#${'k'.repeat(65)}` })],
  ['a key that the issuer does not list', 'unknown_key', signHeader({ kid: `${DID}#2020-01` })],
  ['keys that are no JWK Set', 'unknown_key', VALID, { keys: [KEYS.active] }],
  [
    'a key of another issuer with the same name',
    'unknown_key',
    VALID,
    { keys: toNamed('did:web:other.example.com') },
  ],
  ['a key of another kind', 'wrong_key', VALID, { keys: { keys: [RSA] } }],
  ['a truncated key', 'wrong_key', VALID, { keys: { keys: [{ ...KEYS.listed[0], x: 'AAAA' }] } }],
  [
    'another score without a new signature',
    'wrong_signature',
    `${HEADER}.${encode({ ...PAYLOAD, sub: OTHER_SUBJECT })}.${SIGNATURE}`,
  ],
  [
    'the key of somebody else with the same name',
    'wrong_signature',
    signJwt(PAYLOAD, { keys: OTHER_KEYS, did: DID, type: 'vc+jwt', contentType: 'vc' }),
  ],
  ['a signature of zeros', 'wrong_signature', `${HEADER}.${BODY}.${Buffer.alloc(64).toString('base64url')}`],
  ['a shorter signature', 'wrong_signature', `${HEADER}.${BODY}.${SIGNATURE.slice(0, 80)}`],
  ['another issuer in iss', 'wrong_issuer', signPayload({ ...PAYLOAD, iss: OTHER_ISSUER })],
  ['another issuer in issuer', 'wrong_issuer', signPayload({ ...PAYLOAD, issuer: OTHER_ISSUER })],
  ['the keys of another issuer in kid', 'wrong_issuer', signPayload(PAYLOAD, OTHER_ISSUER)],
  ['a longer validUntil', 'wrong_dates', signPayload({ ...PAYLOAD, validUntil: '2099-01-01T00:00:00Z' })],
  ['a later exp', 'wrong_dates', signPayload({ ...PAYLOAD, exp: PAYLOAD.exp + 1 })],
  ['an earlier nbf', 'wrong_dates', signPayload({ ...PAYLOAD, nbf: PAYLOAD.nbf - 1 })],
  [
    'no dates',
    'wrong_dates',
    signPayload({ ...PAYLOAD, nbf: undefined, exp: undefined, validFrom: undefined, validUntil: undefined }),
  ],
  ['a use before validFrom', 'not_yet_valid', VALID, { now: NOON - 1 }],
  ['a use at validUntil', 'expired', VALID, { now: NOON + 30 * DAY }],
  ['another context', 'wrong_context', signPayload({ ...PAYLOAD, '@context': ['https://evil.example.com'] })],
  [
    'another type of credential',
    'wrong_credential_type',
    signPayload({ ...PAYLOAD, type: ['VerifiableCredential'] }),
  ],
  ['another passport in sub', 'wrong_subject', signPayload({ ...PAYLOAD, sub: OTHER_SUBJECT })],
  ['another passport_id', 'wrong_subject', signSubject({ passport_id: 8 })],
  [
    'a passport of another host',
    'wrong_subject',
    signPayload({
      ...PAYLOAD,
      sub: 'https://evil/api/v3/passports/7',
      credentialSubject: { ...SUBJECT, id: 'https://evil/api/v3/passports/7' },
    }),
  ],
  ['an unknown method', 'wrong_method', signSubject({ method: 'magic' })],
  ['a score of rules that claims to be of a record', 'wrong_method', signSubject({ method: 'record' })],
  ['a score of rules without a digest', 'wrong_method', signSubject({ rules_digest: null })],
  ['a score that is a text', 'wrong_form', signSubject({ score: '60' as unknown as number })],
  ['no inputs', 'wrong_form', signSubject({ inputs: undefined as unknown as typeof inputs })],
  [
    'an input without an amount',
    'wrong_form',
    signSubject({ inputs: [{ type: 'github' } as (typeof inputs)[0]] }),
  ],
  ['another rule set with the same stamp', 'wrong_rules', VALID, { rules: { stamp: STAMP, ...OTHER_RULES } }],
  ['a rule set that is missing', 'wrong_rules', VALID, { rules: null }],
  [
    'a signed rule set with an unknown conversion',
    'malformed_rules',
    signSubject({ rules_digest: sha256(canonicalize(NO_RULES) as string) }),
    { rules: NO_RULES },
  ],
  [
    'a signed rule set without types',
    'malformed_rules',
    signSubject({ rules_digest: sha256('{}') }),
    { rules: {} },
  ],
  ['a higher score', 'wrong_score', signSubject({ score: 61 })],
  ['a score above the cap', 'wrong_score', signSubject({ score: 60.5 })],
  ['a higher part', 'wrong_parts', signSubject({ skills_score: 60.5, score: 60 })],
  ['points moved to another part', 'wrong_parts', signSubject({ activity_score: 6, identity_score: 4 })],
  [
    'another amount',
    'wrong_parts',
    signSubject({ inputs: [...inputs, { type: 'github', kind: 'number', amount: 16 }] }),
  ],
  ['a missing input', 'wrong_parts', signSubject({ inputs: inputs.slice(2) })],
  [
    'another credential of the record',
    'wrong_parts',
    signSubject({ record: { human: false, credentials: [] } }),
  ],
  ['another time of the calculation', 'wrong_parts', signSubject({ calculated_at: NOON + 365 * DAY })],
  ['a removed human checkmark', 'wrong_human', signSubject({ human_checkmark: false })],
  [
    'a human checkmark without proof',
    'wrong_human',
    signSubject({
      inputs: [],
      record: { ...record, credentials: [] },
      score: 0,
      activity_score: 0,
      identity_score: 0,
      skills_score: 0,
    }),
  ],
]
