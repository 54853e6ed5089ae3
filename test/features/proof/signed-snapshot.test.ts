import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose'
import { parseSigningKeys, rotateSigningKeys } from '../../../src/core/config/signing-keys.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { canonicalJson } from '../../support/program/text.ts'
import {
  AS_SNAPSHOT,
  KEYS,
  listSnapshots,
  PUBLIC_URL,
  payloadOf,
  SIGNED,
  serveScored,
  zoe,
} from '../../support/proof/snapshots.ts'
import { dataPoint, NOON, record } from '../../support/store/records.ts'
import { hand, scoreNow } from '../../support/store/scoring.ts'

const HOUR = 3_600_000

test('a snapshot has the scores and their inputs, but no name, account or wallet', async () => {
  await using server = await serveScored()
  const { text, headers } = await server.get('/api/v3/passports/1', AS_SNAPSHOT)
  expect(headers.get('Content-Type')).toBe('application/vc+jwt')
  const [header = ''] = text.split('.')
  const did = 'did:web:passports.example%3A8443'
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    ...{ alg: 'EdDSA', typ: 'vc+jwt', cty: 'vc', kid: `${did}#2026-01` },
  })
  const { body } = await server.get('/api/v3/passports/1?include=explanation')
  const subject = `${PUBLIC_URL}/api/v3/passports/1`
  expect(payloadOf(text)).toEqual({
    '@context': [
      'https://www.w3.org/ns/credentials/v2',
      'https://www.w3.org/ns/credentials/undefined-terms/v2',
    ],
    type: ['VerifiableCredential', 'PassportScore'],
    issuer: did,
    iss: did,
    validFrom: '2026-01-02T12:00:00.000Z',
    validUntil: '2026-02-01T12:00:00.000Z',
    nbf: NOON / 1000,
    exp: NOON / 1000 + 30 * 86_400,
    sub: subject,
    credentialSubject: {
      ...{ id: subject, passport_id: 1, score: body.score, activity_score: 0 },
      ...{ identity_score: body.identity_score, skills_score: body.skills_score, human_checkmark: false },
      calculated_at: Date.parse(body.last_calculated_at),
      ...{ method: 'rules', rules: body.rules, rules_digest: body.rules_digest },
      inputs: [{ type: 'base_builder', kind: 'number', amount: 9 }],
      record: {
        human: false,
        credentials: [{ type: 'kite', category: 'Skills', score: 9, max_score: 4.5 }],
      },
      event: expect.stringMatching(/^\w+-3$/),
    },
  })
  expect(body.rules_digest).toMatch(/^[0-9a-f]{64}$/)
  expect(atob(text.split('.')[1] ?? '')).not.toMatch(/zoe|lantern|0xabc|nine/i)
})

test('a snapshot stays the same for an hour, and its ETag gives 304 on every node', async () => {
  let now = NOON + 1000
  await using server = await serveScored({ ...SIGNED, now: () => now })
  await using other = serveTest(server.store, { ...SIGNED, now: () => now })
  const first = await server.get('/api/v3/passports/1', AS_SNAPSHOT)
  now = NOON + HOUR - 1
  const etag = first.headers.get('ETag') ?? ''
  expect((await other.get('/api/v3/passports/1', AS_SNAPSHOT)).text).toBe(first.text)
  const conditional = { headers: { ...AS_SNAPSHOT.headers, 'If-None-Match': etag } }
  const unchanged = await other.get('/api/v3/passports/1', conditional)
  expect([unchanged.status, unchanged.headers.get('Vary')]).toEqual([304, 'Accept'])
  const head = await server.get('/api/v3/passports/1', { ...AS_SNAPSHOT, method: 'HEAD' })
  expect([head.status, head.text, head.headers.get('ETag')]).toEqual([200, '', etag])
  now = NOON + HOUR
  expect((await other.get('/api/v3/passports/1', conditional)).status).toBe(200)
})

test('Accept chooses between JSON and a snapshot, and both responses have Vary', async () => {
  await using server = await serveScored()
  const typeOf = async (Accept: string) => {
    const { headers } = await server.get('/api/v3/passports/1', { headers: { Accept } })
    expect(headers.get('Vary')).toBe('Accept')
    return headers.get('Content-Type')
  }
  for (const accept of ['*/*', 'application/json', 'application/vc+jwt;q=0.5, */*', 'application/vc+jwt;q=0'])
    expect(await typeOf(accept)).toBe('application/json')
  for (const accept of ['application/VC+jwt', 'application/vc+jwt, application/json;q=0.9'])
    expect(await typeOf(accept)).toBe('application/vc+jwt')
})

test('the key of a merged passport leads to the snapshot of its survivor', async () => {
  await using server = await serveScored(SIGNED, [zoe, record(2)])
  await server.store.passports.merge(2, 1)
  await scoreNow(server.store)
  for (const key of ['2', 'lens:zoe']) {
    const { text, headers } = await server.get(`/api/v3/passports/${key}`, AS_SNAPSHOT)
    expect(payloadOf(text).credentialSubject.passport_id).toBe(1)
    expect(headers.get('Content-Location')).toBe('/api/v3/passports/1')
  }
})

test('while a new score is being calculated, a snapshot gets 409 calculating', async () => {
  await using server = await serveScored()
  await hand(server.store, { id: 1 }, dataPoint('ens', 9))
  const { body, headers } = await server.get('/api/v3/passports/1', AS_SNAPSHOT)
  expect(body).toMatchObject({
    ...{ status: 409, code: 'calculating' },
    detail: 'A new score of passport 1 is being calculated. Try again shortly.',
  })
  expect(headers.get('Retry-After')).toBe('2')
})

test.each(['as_of=2026-01-01', 'include=credentials', 'select=score'])(
  'a snapshot with the parameter %s gets 400',
  async (query) => {
    await using server = await serveScored()
    const { body } = await server.get(`/api/v3/passports/1?${query}`, AS_SNAPSHOT)
    const [name = ''] = query.split('=')
    expect(body).toMatchObject({ status: 400, errors: [{ pointer: `?${name}` }] })
    expect(body.detail).toStartWith(`${name} is not accepted with "Accept: application/vc+jwt"`)
  },
)

test('an unknown passport gets 404, and a snapshot waits for the cursor in the parameter after', async () => {
  await using server = await serveScored()
  expect((await server.get('/api/v3/passports/99', AS_SNAPSHOT)).body).toMatchObject({ code: 'not_found' })
  const { name, last } = await server.store.events.log()
  const after = (sequence: number) => `/api/v3/passports/1?after=${name}-${sequence}`
  expect((await server.get(after(last), AS_SNAPSHOT)).status).toBe(200)
  expect((await server.get(after(last + 1), AS_SNAPSHOT)).status).toBe(400)
})

test('a 304 of a snapshot counts for the rate limit, unlike a 304 of a passport', async () => {
  await using server = await serveScored()
  const freeOf = async (init: { headers: Record<string, string> }) => {
    const { headers } = await server.get('/api/v3/passports/1', init)
    const again = { headers: { ...init.headers, 'If-None-Match': headers.get('ETag') ?? '' } }
    const remaining = (reply: Headers) => Number(/r=(\d+)/.exec(reply.get('RateLimit') ?? '')?.[1])
    const { status, headers: second } = await server.get('/api/v3/passports/1', again)
    expect(status).toBe(304)
    return remaining(headers) - remaining(second)
  }
  expect(await freeOf({ headers: {} })).toBe(0)
  expect(await freeOf(AS_SNAPSHOT)).toBe(1)
})

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
