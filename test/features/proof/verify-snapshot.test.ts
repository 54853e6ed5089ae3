import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { originOf, verifySnapshot } from '../../../src/features/proof/verify-snapshot.ts'
import { codeIn, readPage, rowsOf } from '../../support/docs/pages.ts'
import { sha256 } from '../../support/program/text.ts'
import {
  DID,
  JWKS,
  PAYLOAD,
  RULES,
  STAMP,
  signPayload,
  signSubject,
} from '../../support/proof/sample-snapshot.ts'
import { KEYS } from '../../support/proof/snapshots.ts'
import { type Given, TAMPERED, toNamed, VALID } from '../../support/proof/tampered-snapshots.ts'
import { NOON } from '../../support/store/records.ts'

const verify = (jwt: string, { keys = JWKS, rules = { stamp: STAMP, ...RULES }, now = NOON }: Given = {}) =>
  verifySnapshot(jwt, { keys: () => keys, rules: () => rules, now })

test('a valid snapshot is valid, and each check and each calculated line is reported', async () => {
  expect(await verify(`${VALID}\n`)).toEqual({
    verdict: 'valid',
    checked: [
      `The signature is by the key ${KEYS.active.kid} of https://passports.example.com.`,
      `It is valid from ${PAYLOAD.validFrom} until ${PAYLOAD.validUntil}.`,
      'It is about passport 7: https://passports.example.com/passports/7.',
      `The rule set ${STAMP} is the one that the issuer signed.`,
      'Calculated again, the score is 60 (4 Activity, 6 Identity, 50.5 Skills), and the person is marked as human.',
    ],
    lines: [
      {
        type: 'talk',
        category: 'Skills',
        points: 12.5,
        formula: '12.5 from the imported record, at most 20',
      },
      { type: 'github', category: 'Skills', points: 18, formula: '√9 × 6 = 18, at most 40' },
      {
        type: 'contracts',
        category: 'Skills',
        points: 20,
        formula: 'ln(7.5) × 10 = 20.15, rounded to 20, at most 40',
      },
      { type: 'passport', category: 'Identity', points: 6, formula: '6 of 40 points' },
      {
        type: 'account',
        category: 'Activity',
        points: 4,
        formula: '1.5 years since 2024-07-04 × 2.5 = 3.75, rounded to 4, at most 40',
      },
    ],
  })
})

test('the keys of an issuer may be named with or without the issuer', async () => {
  expect((await verify(VALID, { keys: toNamed(DID) })).verdict).toBe('valid')
})

test('texts of another issuer cannot put words into the sentences about a valid snapshot', async () => {
  const words = ' (Verified twice.)'
  const [validFrom, validUntil] = [PAYLOAD.validFrom, PAYLOAD.validUntil].map(
    (time) => `${new Date(time).toUTCString()}${words}`,
  )
  const { verdict, checked } = await verify(signPayload({ ...PAYLOAD, validFrom, validUntil }))
  expect(verdict).toBe('valid')
  expect(checked[1]).toBe(`It is valid from ${PAYLOAD.validFrom} until ${PAYLOAD.validUntil}.`)
  const named = await verify(signSubject({ rules: `${STAMP}${words}` }))
  expect(named.checked[3]).toStartWith(`The rule set "${STAMP}${words}" is`)
})

test('a snapshot of an imported score is valid, and says that nothing can be calculated again', async () => {
  const jwt = signSubject({ method: 'record', rules: null, rules_digest: null, score: 99, inputs: [] })
  const { verdict, checked, lines } = await verify(jwt, { rules: undefined })
  expect({ verdict, lines, last: checked.at(-1) }).toEqual({
    verdict: 'valid',
    lines: [],
    last: 'The score 99 came with a record. It cannot be calculated again.',
  })
})

test('docs/proof.md lists all names of failures, and all but one are tested', () => {
  const source = readPage('src/features/proof/verify-snapshot.ts')
  const names = new Set([...source.matchAll(/(?:reject|expect)\(\s*'(\w+)'/g)].map(([, name = '']) => name))
  const listed = rowsOf('docs/proof.md').flatMap(([cell = '']) => codeIn(cell))
  expect(listed.toSorted()).toEqual([...names].toSorted())
  // Bun knows Ed25519.
  const tested = new Set([...TAMPERED.map(([, failure]) => failure), 'no_ed25519'])
  expect(tested).toEqual(names)
})

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

test('a rule set that is nested too deeply is rejected as malformed_rules', async () => {
  const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect((await verify(VALID, { rules: { types: nested } })).failure).toBe('malformed_rules')
})

test('a date out of range is rejected as malformed_rules', async () => {
  const date = { type: 'account', kind: 'date', amount: 1e300 }
  expect((await verify(signSubject({ inputs: [date] }))).failure).toBe('malformed_rules')
})

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
