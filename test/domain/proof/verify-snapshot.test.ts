import { expect, test } from 'bun:test'
import { createPrivateKey, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sha256 } from '../../../src/domain/proof/canonical-json.ts'
import { rotateSigningKeys, signJwt } from '../../../src/domain/proof/signing-keys.ts'
import { originOf, verifySnapshot } from '../../../src/domain/proof/verify-snapshot.ts'
import {
  DAY,
  DID,
  JWKS,
  KEYS,
  PAYLOAD,
  RULES,
  STAMP,
  SUBJECT,
  signPayload,
  signSubject,
} from '../../support/proof/sample-snapshot.ts'
import { NOON } from '../../support/store/records.ts'

type Given = { keys?: unknown; rules?: unknown; now?: number }

const verify = (jwt: string, { keys = JWKS, rules = { stamp: STAMP, ...RULES }, now = NOON }: Given = {}) =>
  verifySnapshot(jwt, { keys: () => keys, rules: () => rules, now })

const VALID = signPayload(PAYLOAD)
const [HEADER = '', BODY = '', SIGNATURE = ''] = VALID.split('.')

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs with the issuer's key, with changed members of the header. */
function signHeader(changes: object, body = BODY): string {
  const signed = `${encode({ ...JSON.parse(Buffer.from(HEADER, 'base64url').toString()), ...changes })}.${body}`
  const key = createPrivateKey({ key: KEYS.active, format: 'jwk' })
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

test('a valid snapshot is valid, and each check and each calculated line is reported', async () => {
  expect(await verify(`${VALID}\n`)).toEqual({
    verdict: 'valid',
    checked: [
      `The signature is by the key ${KEYS.active.kid} of ${DID}.`,
      `It is valid from ${PAYLOAD.validFrom} until ${PAYLOAD.validUntil}.`,
      'It is about https://passports.example.com/api/v3/passports/7.',
      `The rule set ${STAMP} has the digest that the snapshot names.`,
      'Calculated again, the score is 60 (4 Activity, 6 Identity, 50.5 Skills), and the human checkmark is true.',
    ],
    lines: [
      { type: 'talk', category: 'Skills', points: 12.5, formula: '12.5 in the record, at most 20' },
      { type: 'github', category: 'Skills', points: 18, formula: '√9 × 6, at most 40' },
      { type: 'contracts', category: 'Skills', points: 20, formula: 'ln 7.5 × 10, at most 40' },
      { type: 'passport', category: 'Identity', points: 6, formula: '1 × 6, at most 40' },
      { type: 'account', category: 'Activity', points: 4, formula: '1.5 years × 2.5, at most 40' },
    ],
  })
})

test('a snapshot of an imported score is valid, and says that nothing can be calculated again', async () => {
  const jwt = signSubject({ method: 'record', rules: null, rules_digest: null, score: 99, inputs: [] })
  const { verdict, checked, lines } = await verify(jwt, { rules: undefined })
  expect({ verdict, lines, last: checked.at(-1) }).toEqual({
    verdict: 'valid',
    lines: [],
    last: 'The score 99 came with an imported record. It cannot be calculated again.',
  })
})

/** The rule set of an attacker, whose stamp is the same. */
const OTHER_RULES = { ...RULES, types: { ...RULES.types, github: { ...RULES.types.github, multiplier: 7 } } }
const NO_RULES = { version: 'sample', types: { github: { ...RULES.types.github, convert: 'cube' } } }
const OTHER_KEYS = rotateSigningKeys(undefined, NOON)
const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: KEYS.active.kid }
const OTHER_SUBJECT = 'https://passports.example.com/api/v3/passports/8'
const { inputs, record } = SUBJECT
const OTHER_ISSUER = 'did:web:other.example.com'

const TAMPERED: [kind: string, failure: string, jwt: string, given?: Given][] = [
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
  ['a key that the issuer does not list', 'unknown_key', signHeader({ kid: `${DID}#2020-01` })],
  ['keys that are no JWK Set', 'unknown_key', VALID, { keys: [KEYS.active] }],
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

test('at least 20 kinds of tampering have a name', () => {
  expect(new Set(TAMPERED.map(([, failure]) => failure)).size).toBeGreaterThanOrEqual(20)
})

for (const [kind, failure, jwt, given] of TAMPERED) {
  test(`${kind} is rejected as ${failure}`, async () => {
    const { verdict, failure: name, message } = await verify(jwt, given)
    expect({ verdict, name }).toEqual({ verdict: 'not valid', name: failure })
    expect(message).toMatch(/^.+\.$/)
  })
}

test('the digest of a rule set is that of canonicalize, whatever the order of its members is', async () => {
  const odd = {
    ...RULES,
    levels: [
      { name: 'é "\\\u2028\ud83d\ude00', from: 1e21 },
      { name: '', from: 1e-7 },
    ],
  }
  const reversed = Object.fromEntries(Object.entries(odd).reverse())
  const jwt = signSubject({ rules_digest: sha256(canonicalize(odd) as string) })
  for (const rules of [odd, reversed, { digest: 'x', ...odd, stamp: 'y' }])
    expect((await verify(jwt, { rules })).failure).toBeUndefined()
})

test('the origin of a did:web has https, except on loopback hosts', () => {
  const origins = [
    'a.example.com',
    'a.example.com%3A8443',
    'localhost%3A80',
    '127.0.0.1',
    '%5B%3A%3A1%5D%3A80',
  ]
  expect(origins.map((host) => originOf(`did:web:${host}`))).toEqual([
    'https://a.example.com',
    'https://a.example.com:8443',
    'http://localhost:80',
    'http://127.0.0.1',
    'http://[::1]:80',
  ])
  for (const wrong of [
    'did:key:z6',
    'did:web:',
    'did:web:a%2Fb',
    'did:web:a:b',
    'did:web:a@b',
    'did:web:a%40b',
    'x',
  ])
    expect([wrong, originOf(wrong)]).toEqual([wrong, undefined])
})

test('errors of the functions that load keys and rules pass through', async () => {
  const fail = () => Promise.reject(new Error('offline'))
  expect(verifySnapshot(VALID, { keys: fail, rules: fail, now: NOON })).rejects.toThrow('offline')
  expect(verifySnapshot(VALID, { keys: () => JWKS, rules: fail, now: NOON })).rejects.toThrow('offline')
})
