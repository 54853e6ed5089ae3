import { expect, test } from 'bun:test'
import { importJWK, jwtVerify } from 'jose'
import { shareFold } from '../../../src/features/proof/share-fold.ts'
import { serveEvents } from '../../support/http/event-stream.ts'
import { failureOf } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { rotateSigningKeys } from '../../support/proof/snapshots.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { computeHead } from '../../support/store/hash-chain.ts'
import { NOON, record } from '../../support/store/records.ts'

const people = (count: number) => Array.from({ length: count }, (_, id) => record(id))

onEveryEngine('GET /api/v3/log', (open) => {
  test('the response has the head of all events, and the head of the events that were deleted', async () => {
    await using server = await serveEvents(await open(people(3)))
    const { store } = server
    await saveRecords(store, [record(9)], { now: NOON + 1 })
    await store.passports.remove(1, NOON + 2)
    const { name } = await store.events.log()
    const { status, body } = await server.get('/api/v3/log')
    expect([status, body]).toEqual([
      200,
      {
        log: name,
        ...{ first: 1, length: 5, last: 5, base: '0'.repeat(64), head: await computeHead(store) },
        ...{ time: new Date(NOON).toISOString(), signed: null },
      },
    ])
    await store.events.prune(NOON + 1)
    const pruned = (await server.get('/api/v3/log')).body
    expect(pruned).toMatchObject({ first: 4, length: 5, last: 5, head: body.head })
    expect(await computeHead(store, pruned.base)).toBe(body.head)
  })

  test('events with include=proof have salts and tombstones, and other pages stay the same', async () => {
    await using server = await serveEvents(await open(people(3)))
    const { store } = server
    const before = (await server.list()).body
    expect(before.items[0]).not.toHaveProperty('salt')
    const proven = (await server.list('?include=proof')).body
    expect(proven.items).toEqual(
      before.items.map((item: object) => ({ ...item, salt: expect.stringMatching(/^[0-9a-f]{32}$/) })),
    )
    await store.passports.remove(1, NOON)
    const { name } = await store.events.log()
    const { body, headers } = await server.list('?include=proof&limit=4')
    expect(body.items[1]).toEqual({
      id: `${name}-2`,
      type: 'tombstone',
      leaf: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(body.items[3]).toMatchObject({ type: 'passport.removed', salt: '' })
    expect(headers.get('Link')).toContain('include=proof')
    const after = (await server.list()).body
    expect(after.items.slice(0, 2)).toEqual([before.items[0], before.items[2]])
    expect((await server.list('?include=proof&passport=2')).body.items).toEqual([proven.items[2]])
    expect((await server.list('?include=proof&types=passport.removed')).body.items).toEqual([body.items[3]])
  })
})

test('a service with signing keys signs the head for its public URL, or for a loopback address', async () => {
  const signing = rotateSigningKeys(undefined, NOON)
  const key = await importJWK({ ...signing.listed[0] } as JsonWebKey, 'EdDSA')
  const store = await openTestStore('sqlite', people(2))
  await using server = await serveEvents(store, { signing, publicUrl: 'https://passports.example.com' })
  const { signed, ...members } = (await server.get('/api/v3/log')).body
  const did = 'did:web:passports.example.com'
  const { payload, protectedHeader } = await jwtVerify(signed, key, { issuer: did })
  expect(payload).toEqual({ iss: did, ...members })
  expect(protectedHeader).toEqual({
    alg: 'EdDSA',
    typ: 'passport-log+jwt',
    kid: `${did}#${signing.active.kid}`,
  })
  await using local = await serveEvents(await openTestStore('sqlite'), { signing })
  const own = (await local.get('/api/v3/log')).body.signed
  expect((await jwtVerify(own, key)).payload.iss).toBe(`did:web:127.0.0.1%3A${local.port}`)
  const foreign = await local.get('/api/v3/log', { headers: { Host: 'other.example.com' } })
  expect(foreign.body.signed).toBeNull()
})

test('include accepts only proof, and only for pages', async () => {
  await using server = await serveEvents(await openTestStore('sqlite'))
  const wrong = await server.list('?include=prof')
  expect([wrong.status, wrong.body.errors[0].detail]).toEqual([
    400,
    '"prof" is not a known value of include: did you mean proof?',
  ])
  const stream = await server.follow('?include=proof')
  expect(stream.response.status).toBe(400)
  await stream.close()
})

test('a request for the head counts as one request for each 25 events that it adds, and repeated requests catch up', async () => {
  await using server = await limited('standard=250/24h')
  const key = await server.makeKey(1, 'standard')
  const { length: initial } = (await server.get('/api/v3/log')).body
  await saveRecords(server.store, people(5100).slice(100))
  const ask = async () => await server.get('/api/v3/log', { headers: { 'X-API-KEY': key } })
  const first = await ask()
  expect(first.body).toMatchObject({ length: initial + 5000 })
  expect(first.headers.get('RateLimit')).toStartWith('"standard";r=50;')
  expect((await ask()).headers.get('RateLimit')).toStartWith('"standard";r=49;')
})

onEveryEngine('requests of the head of the event log', (open) => {
  test('many at once need two calls of the writer thread, and only the first ones count the events', async () => {
    await using store = await open([record(1), record(2)])
    let calls = 0
    let running = 0
    const fold = shareFold(async (limit) => {
      calls++
      expect(++running).toBe(1)
      const result = await store.events.fold(limit)
      running--
      return result
    })
    const first = fold(100)
    // The first call begins before the others arrive.
    await Promise.resolve()
    const others = await Promise.all(Array.from({ length: 2000 }, () => fold(100)))
    expect(calls).toBe(2)
    expect([await first, ...others].reduce((sum, { folded }) => sum + folded, 0)).toBe(2)
    expect(new Set(others.map(({ length }) => length))).toEqual(new Set([2]))
  })

  test('a failed call fails only for the requests that share it', async () => {
    await using store = await open([record(1)])
    let calls = 0
    const fold = shareFold(async (limit) => {
      if (++calls === 1) throw new Error('on purpose')
      return store.events.fold(limit)
    })
    expect((await failureOf(fold(100))).message).toBe('on purpose')
    expect((await fold(100)).length).toBe(1)
  })
})
