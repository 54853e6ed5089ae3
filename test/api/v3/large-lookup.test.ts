import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { createExplainer } from '../../../src/scoring/explain.ts'
import { openPostgres } from '../../../src/store/postgres/open.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords, serveTest } from '../../support/http/server.ts'
import { connect } from '../../support/postgres/connect.ts'
import { until } from '../../support/processes.ts'
import { databaseMaker, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ada, NOON, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PATH = '/api/v3/lookup'
const people = (count: number, socials = ada.socials) =>
  Array.from({ length: count }, (_, id) => record(id, { socials }))
const toBody = (count: number) =>
  JSON.stringify({ keys: Array.from({ length: count }, (_, id) => String(id)) })

test('an error after a stream began is logged with its stack, and the stream is cut off', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path)
  const large = Array(10).fill({ ...ada.socials[0], bio: 'x'.repeat(9000) })
  await saveRecords(store, people(500, large))
  const { key } = await makeKey(store, 1)
  await using server = serveTest(store)
  const response = await fetch(server.url.origin + PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key, Accept: 'application/x-ndjson' },
    body: toBody(500),
  })
  expect(response.status).toBe(200)
  const vandal = new Database(path)
  vandal.run('alter table passports rename column socials to gone')
  vandal.close()
  const received = await response.text().catch(() => '')
  expect(received.split('\n').length).toBeLessThan(500)
  await until(() => server.errors.length > 0)
  expect(server.errors).toHaveLength(1)
  expect((server.errors[0] as Error).stack).toContain('read-passports.ts')
  await store.close()
})

test('other work runs while many scores are explained', async () => {
  await using store = await openTestStore('sqlite', people(300))
  const passports = people(300).map(({ id }) => ({ id, rules: '', calculatedAt: NOON }))
  let turns = 0
  let isEnded = false
  const count = () => {
    turns++
    if (!isEnded) setImmediate(count)
  }
  setImmediate(count)
  const explanations = await createExplainer(store)(passports)
  isEnded = true
  expect(explanations.size).toBe(300)
  expect(turns).toBeGreaterThanOrEqual(5)
})

test('postgres: at most four large lookups are read at the same time', async () => {
  await using database = await databaseMaker('postgres')()
  const store = await openPostgres(database, { connections: 10 })
  await saveRecords(store, people(60))
  const { init } = await makeKey(store, 1)
  await using server = serveTest(store)
  const lookUp = (count: number) =>
    server.get(PATH, {
      method: 'POST',
      headers: { ...init.headers, 'Content-Type': 'application/json' },
      body: toBody(count),
    })
  await using sql = connect(database.url)
  const waiting = async () => {
    const [row] = await sql`select count(*)::integer as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    return row.count
  }
  await using lock = connect(database.url)
  await lock.unsafe('begin')
  await lock.unsafe('lock table passports in access exclusive mode')
  const lookups = Array.from({ length: 7 }, () => lookUp(60))
  await until(async () => (await waiting()) >= 4)
  // A small lookup does not wait for the large ones.
  const small = lookUp(1)
  await until(async () => (await waiting()) >= 5)
  expect(await waiting()).toBe(5)
  await lock.unsafe('rollback')
  expect((await small).body.found).toBe(1)
  expect((await Promise.all(lookups)).map(({ body }) => body.found)).toEqual(Array(7).fill(60))
  await store.close()
})

/** Passports of 90 KB. */
const LARGE = people(20, Array(10).fill({ ...ada.socials[0], bio: 'é'.repeat(9000) }))

test('a streamed lookup is compressed as its client accepts', async () => {
  await using server = await serveRecords({}, LARGE)
  const { key } = await makeKey(server.store, 1)
  const ask = (encoding: string) =>
    fetch(server.url.origin + PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-KEY': key, 'Accept-Encoding': encoding },
      body: toBody(20),
      decompress: false,
    })
  const plain = await ask('identity')
  expect([plain.headers.get('Content-Encoding'), plain.headers.has('Content-Length')]).toEqual([null, false])
  const text = await plain.text()
  expect(JSON.parse(text).found).toBe(20)
  for (const [encoding, decode] of [
    ['gzip', Bun.gunzipSync],
    ['zstd', Bun.zstdDecompressSync],
  ] as const) {
    const { headers, ...response } = await ask(encoding).then(async (sent) => ({
      headers: sent.headers,
      bytes: await sent.bytes(),
    }))
    expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([encoding, 'Accept-Encoding'])
    expect(Buffer.from(decode(response.bytes)).toString()).toBe(text)
    expect(response.bytes.length).toBeLessThan(text.length / 2)
  }
})

test('repeated keys have the same items, also if they are read in parts', async () => {
  await using opened = await openTestStore('sqlite', LARGE)
  const { init } = await makeKey(opened, 1)
  await using server = serveTest(opened)
  const keys = LARGE.map(({ id }) => String(id))
  const { body } = await server.get(PATH, {
    method: 'POST',
    headers: { ...init.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ keys: [...keys, ...keys, 'x', 'x'] }),
  })
  expect(body.items.slice(20, 40)).toEqual(body.items.slice(0, 20))
  expect(body.items.slice(40)).toEqual(Array(2).fill({ key: 'x', error: 'not_found' }))
})

test('a large body is counted until it is read, and gets 503 while its client has too many bytes', async () => {
  await using server = await serveRecords({ holdLimits: { bytesOfClient: 1 } }, people(1))
  const { key, init } = await makeKey(server.store, 1)
  const socket = connectSocket(server.port, '127.0.0.1').on('error', () => undefined)
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n${' '.repeat(100_000)}`,
  )
  await until(() => server.heldBytes() > 0)
  const ask = (body: string) =>
    server.get(PATH, {
      method: 'POST',
      headers: { ...init.headers, 'Content-Type': 'application/json' },
      body,
    })
  expect((await ask(`{"keys":[]}${' '.repeat(100_000)}`)).body.code).toBe('overloaded')
  expect((await ask('{"keys":["0"]}')).body.found).toBe(1)
  socket.write(`{"keys":["0"]}${' '.repeat(99_986)}`)
  await until(() => server.heldBytes() === 0)
  expect((await ask(`{"keys":[]}${' '.repeat(100_000)}`)).status).toBe(200)
  socket.destroy()
})
