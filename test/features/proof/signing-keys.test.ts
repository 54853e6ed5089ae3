import { expect, test } from 'bun:test'
import { createPublicKey, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import {
  didOf,
  parseSigningKeys,
  rotateSigningKeys,
  signJwt,
  writeSigningKeys,
} from '../../../src/core/config/signing-keys.ts'
import { canonicalJson } from '../../support/program/text.ts'

const NOVEMBER = Date.UTC(2026, 10, 17)

test('canonical JSON has sorted names at every depth, and no blanks', () => {
  const value = { b: [3, { z: null, a: 'é"\n' }], a: 1e21, '\u{1f600}': 0.1, ﬀ: true, none: undefined }
  expect(canonicalJson(value)).toBe('{"a":1e+21,"b":[3,{"a":"é\\"\\n","z":null}],"\u{1f600}":0.1,"ﬀ":true}')
  expect(canonicalJson(value)).toBe(canonicalize(value) as string)
})

test('a rotation makes a new key active, and keeps the public keys of earlier ones', () => {
  const first = rotateSigningKeys(undefined, NOVEMBER)
  const second = rotateSigningKeys(first, NOVEMBER)
  expect(second.listed.map(({ kid }) => kid)).toEqual(['2026-11-2', '2026-11'])
  expect(second.listed[1]).toEqual(first.listed[0] as (typeof first.listed)[0])
  const text = writeSigningKeys(second)
  expect(text).not.toContain(first.active.d)
  expect(parseSigningKeys(text)).toEqual(second)
})

test.each(['', '{}', '{"keys":[]}', '{"keys":[{"kty":"RSA","d":"x","kid":"1"}]}', 'ppd_secret'])(
  'the signing keys %j are refused',
  (text) => expect(parseSigningKeys(text)).toBeUndefined(),
)

test('a JWT has an Ed25519 signature, and names its key', () => {
  const keys = rotateSigningKeys(undefined, NOVEMBER)
  const did = didOf('https://passports.example:8443/')
  const [header = '', payload = '', signature = ''] = signJwt({ a: 1 }, { keys, did, type: 'x+jwt' }).split(
    '.',
  )
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'EdDSA',
    typ: 'x+jwt',
    kid: 'did:web:passports.example%3A8443#2026-11',
  })
  const key = createPublicKey({ key: keys.listed[0] as (typeof keys.listed)[0], format: 'jwk' })
  const isValid = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
  expect([isValid(`${header}.${payload}`), isValid(`${header}.${payload}x`)]).toEqual([true, false])
})
