import { expect, test } from 'bun:test'
import { everyTurn } from '../../support/every-turn.ts'
import { rawLookup, serveLookup } from '../../support/http/lookup-server.ts'
import { openRequest } from '../../support/http/raw-request.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { ada, NOON, record } from '../../support/store/records.ts'
import { createExplainer } from '../../support/store/scoring.ts'
import { until } from '../../support/wait-until.ts'

const people = (count: number, socials = ada.socials) =>
  Array.from({ length: count }, (_, id) => record(id, { socials }))
const keysOf = (count: number) => Array.from({ length: count }, (_, id) => String(id))

/** Passports of 90 KB. */
const large = (count: number) => people(count, Array(10).fill({ ...ada.socials[0], bio: 'é'.repeat(9000) }))

test('an error during a stream is logged with its stack, and the connection is closed', async () => {
  await using store = await openTestStore('sqlite', large(150))
  await using server = await serveLookup(store)
  const body = JSON.stringify({ keys: keysOf(150) })
  const response = await server.fetch(body, { Accept: 'application/x-ndjson' })
  expect(response.status).toBe(200)
  await execute(store.url, 'alter table passports rename column socials to gone')
  const received = await response.text().catch(() => '')
  expect(received.split('\n').length).toBeLessThan(150)
  await until(() => server.errors.length > 0)
  expect(server.errors).toHaveLength(1)
  expect((server.errors[0] as Error).stack).toContain('read-passports.ts')
})

test('the event loop runs while many scores are explained', async () => {
  await using store = await openTestStore('sqlite', people(300))
  const passports = people(300).map(({ id }) => ({ id, rules: '', calculatedAt: NOON }))
  let turns = 0
  using _turns = everyTurn(() => turns++)
  const explanations = await createExplainer(store)(passports)
  expect(explanations.size).toBe(300)
  expect(turns).toBeGreaterThanOrEqual(5)
})

const server = shareServer(() => openTestStore('sqlite', large(20)), serveLookup)

test('a streamed lookup is compressed if the client accepts gzip', async () => {
  const ask = (encoding: string) =>
    server.fetch(JSON.stringify({ keys: keysOf(20) }), { 'Accept-Encoding': encoding })
  const plain = await ask('identity')
  expect([plain.headers.get('Content-Encoding'), plain.headers.has('Content-Length')]).toEqual([null, false])
  const text = await plain.text()
  expect(JSON.parse(text).found).toBe(20)
  const response = await ask('gzip')
  const { headers } = response
  expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual(['gzip', 'Accept-Encoding'])
  const bytes = await response.bytes()
  expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(text)
  expect(bytes.length).toBeLessThan(text.length / 2)
})

test('repeated keys have equal items, even if the passports are read in several calls', async () => {
  const { body } = await server.lookUp([...keysOf(20), ...keysOf(20), 'x', 'x'])
  expect(body.items.slice(20, 40)).toEqual(body.items.slice(0, 20))
  expect(body.items.slice(40)).toEqual(Array(2).fill({ key: 'x', error: 'not_found' }))
})

test('while received, a large request body takes bytes, and another one gets 503 if it waits for them in vain', async () => {
  await using store = await openTestStore('sqlite', people(1))
  await using server = await serveLookup(store, { limits: { bytes: 1, waitMilliseconds: 100 } })
  const socket = openRequest(server.port, rawLookup(server.key, ' '.repeat(100_000), { length: 200_000 }))
  await until(() => server.heldBytes() > 0)
  const padded = `{"keys":[]}${' '.repeat(100_000)}`
  expect((await server.send(padded)).body.code).toBe('overloaded')
  expect((await server.get('/health')).status).toBe(200)
  socket.write(`{"keys":["0"]}${' '.repeat(99_986)}`)
  await until(() => server.heldBytes() === 0)
  expect((await server.send(padded)).status).toBe(200)
  socket.destroy()
})
