import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose'
import { parseSigningKeys, rotateSigningKeys } from '../../../src/core/config/signing-keys.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { canonicalJson } from '../../support/program/text.ts'
import { SIGNED, serveScored } from '../../support/proof/scored-server.ts'
import { AS_SNAPSHOT, KEYS, listSnapshots, payloadOf } from '../../support/proof/snapshots.ts'
import { NOON } from '../../support/store/records.ts'

test('a service without keys, or without PUBLIC_URL on a public host, responds 406 and has no well-known documents', async () => {
  const sentence = 'This service does not sign scores'
  const refusals: [Parameters<typeof serveTest>[1], string][] = [
    [{}, '127.0.0.1'],
    [{ signing: KEYS }, 'passports.example'],
  ]
  for (const [options, Host] of refusals) {
    await using server = await serveScored(options)
    const refused = await server.get('/api/v3/passports/1', { headers: { ...AS_SNAPSHOT.headers, Host } })
    expect(refused.body).toMatchObject({ status: 406, code: 'not_acceptable' })
    expect(refused.body.detail).toStartWith(sentence)
    for (const path of ['/.well-known/jwks.json', '/.well-known/did.json']) {
      const { status, body } = await server.get(path, { headers: { Host } })
      expect([status, body.code]).toEqual([404, 'not_found'])
      expect(body.error).toStartWith(sentence)
    }
  }
})

test('without PUBLIC_URL, a loopback address is the issuer, and jose finds its keys', async () => {
  await using server = await serveScored({ signing: KEYS })
  const { text } = await server.get('/api/v3/passports/1', AS_SNAPSHOT)
  const { payload } = await jwtVerify(
    text,
    createRemoteJWKSet(new URL('/.well-known/jwks.json', server.url)),
    {
      currentDate: new Date(NOON),
    },
  )
  expect(payload.iss).toBe(`did:web:127.0.0.1%3A${server.port}`)
  const { text: named } = await server.get('/api/v3/passports/1', {
    headers: { ...AS_SNAPSHOT.headers, Host: 'localhost:4721' },
  })
  expect(payloadOf(named).iss).toBe('did:web:localhost%3A4721')
})

test('after a rotation, the well-known documents still have the key of earlier snapshots', async () => {
  await using server = await serveScored()
  const [earlier = ''] = await listSnapshots(server, [1])
  const rotated = rotateSigningKeys(KEYS, NOON)
  await using next = serveTest(server.store, { ...SIGNED, signing: rotated })
  const { body: set } = await next.get('/.well-known/jwks.json')
  const [later = ''] = await listSnapshots(next, [1])
  const verify = (jwt: string) => jwtVerify(jwt, createLocalJWKSet(set), { currentDate: new Date(NOON) })
  for (const [jwt, kid] of [
    [earlier, '2026-01'],
    [later, '2026-01-2'],
  ] as const)
    expect((await verify(jwt)).protectedHeader.kid).toEndWith(`#${kid}`)
  const { body: did, text } = await next.get('/.well-known/did.json')
  expect(did.assertionMethod).toEqual(set.keys.map(({ kid }: { kid: string }) => kid))
  expect(did.verificationMethod.map((each: { publicKeyJwk: object }) => each.publicKeyJwk)).toEqual(set.keys)
  for (const shown of [text, JSON.stringify(set)]) {
    expect(shown).not.toContain(rotated.active.d)
    expect(shown).not.toContain('"d"')
  }
})

test('if keys are required, a snapshot needs one, and the well-known documents do not', async () => {
  await using server = await serveScored({ ...SIGNED, requireKey: true })
  const { key } = await makeKey(server.store, 1)
  const headers = { ...AS_SNAPSHOT.headers, 'X-API-KEY': key }
  expect((await server.get('/api/v3/passports/1', AS_SNAPSHOT)).status).toBe(401)
  expect((await server.get('/api/v3/passports/1', { headers })).status).toBe(200)
  expect((await server.get('/.well-known/did.json')).status).toBe(200)
})

test('canonical JSON has sorted names at every depth, and no blanks', () => {
  const value = { b: [3, { z: null, a: 'é"\n' }], a: 1e21, '\u{1f600}': 0.1, ﬀ: true, none: undefined }
  expect(canonicalJson(value)).toBe('{"a":1e+21,"b":[3,{"a":"é\\"\\n","z":null}],"\u{1f600}":0.1,"ﬀ":true}')
  expect(canonicalJson(value)).toBe(canonicalize(value) as string)
})

test.each(['', '{}', '{"keys":[]}', '{"keys":[{"kty":"RSA","d":"x","kid":"1"}]}', 'ppd_secret'])(
  'the signing keys %j are refused',
  (text) => expect(parseSigningKeys(text)).toBeUndefined(),
)
