import { expect, test } from 'bun:test'
import { once } from 'node:events'
import type { RequestSummary } from '../../../src/core/http/parse-request.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { makeKey } from '../../support/http/keys.ts'
import { openRequest } from '../../support/http/raw-request.ts'
import { serveTest } from '../../support/http/server.ts'
import { rawLookup } from '../../support/http/servers.ts'
import { calledIndex } from '../../support/index/local-index.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

test.each(['/api/v3/passports?q=', '/?q='])(
  'a search at %s ends early and is logged as 499 if its client disconnects, and other clients are not affected',
  async (target) => {
    const people = Array.from({ length: 1000 }, (_, id) => named(id, `${'ab'.repeat(450)} ${id}`))
    await using store = await openTestStore('sqlite', people)
    const answers: RequestSummary[] = []
    using called = await calledIndex(store)
    const gate = createGate()
    const call = async (...asked: Parameters<typeof called.call>) => {
      await gate.pass()
      return called.call(...asked)
    }
    await using server = serveExplorer(store, {
      index: { ...called, call } as typeof called,
      onResponse: (answered) => answers.push(answered),
    })
    // The bytes of one client are enough for these.
    const leavers = Array.from({ length: 20 }, (_, at) =>
      openRequest(server.port, `GET ${target}${'ab'.repeat(90 - at)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    )
    await Promise.all(leavers.map((socket) => once(socket, 'connect')))
    // When this request has its response, the server has received all earlier ones.
    await server.get('/health')
    await until(() => gate.calls() === leavers.length)
    for (const socket of leavers) socket.resetAndDestroy()
    await until(() => server.requestsInProgress() === 0)
    gate.open()
    const { status, text } = await server.look(`${target}b+999`)
    expect(status).toBe(200)
    expect(text).toContain(' 999')
    await until(() => answers.length === leavers.length + 2)
    expect(answers.filter((each) => each.status === 499).length).toBe(leavers.length)
    expect(server.errors).toEqual([])
  },
)

/** Call number `from` and all later calls wait until the gate is opened. */
function createGate(from = 1) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  return {
    open: resolve,
    calls: () => calls,
    async pass(): Promise<void> {
      if (++calls >= from) await promise
    },
  }
}

type Gate = ReturnType<typeof createGate>

/** A store whose reads of v3 wait at the gate. */
const gated = (store: Store, { pass }: Gate): Store => ({
  ...store,
  passports: {
    ...store.passports,
    findByKeys: async (...args) => {
      await pass()
      return store.passports.findByKeys(...args)
    },
  },
})

const PEOPLE = Array.from({ length: 250 }, (_, id) => named(id + 1, `Person ${id}`))
const LOOKUP = JSON.stringify({ keys: PEOPLE.map(({ id }) => String(id)) })

test.each([
  ['lookups', 16, (key: string) => rawLookup(key, LOOKUP)],
  ['pages', 24, () => 'GET /api/v3/passports?limit=250 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['searches', 24, () => 'GET /api/v3/search?q=person&limit=250 HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const)('%s of disconnected clients stop at their next read', async (_, megabytes, request) => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const { key } = await makeKey(store, 1)
  const gate = createGate()
  const answers: RequestSummary[] = []
  // Few of them fit.
  await using server = serveTest(gated(store, gate), {
    limits: { bytes: megabytes * 1024 * 1024 },
    onResponse: (answered) => answers.push(answered),
  })
  const leavers = Array.from({ length: 20 }, () => openRequest(server.port, request(key)))
  await Promise.all(leavers.map((socket) => once(socket, 'connect')))
  await until(() => gate.calls() >= 4)
  await server.get('/health')
  for (const socket of leavers) socket.resetAndDestroy()
  await until(() => server.requestsInProgress() === 0)
  gate.open()
  await until(() => answers.length === leavers.length + 1)
  expect(answers.slice(1).map(({ status }) => status)).toEqual(Array(20).fill(499))
  // Each of them would read five times.
  expect(gate.calls()).toBeLessThanOrEqual(leavers.length)
  expect(server.errors).toEqual([])
})

test.each(['application/json', 'application/x-ndjson'])(
  'if a client disconnects during a streamed lookup, the lookup stops reading, and no error is logged: %s',
  async (type) => {
    const bio = 'x'.repeat(9000)
    const people = PEOPLE.map((person) => ({ ...person, profile: { ...person.profile, bio } }))
    await using store = await openTestStore('sqlite', people)
    const { key } = await makeKey(store, 1)
    const gate = createGate(3)
    await using server = serveTest(gated(store, gate))
    const socket = openRequest(server.port, rawLookup(key, LOOKUP, { more: `Accept: ${type}\r\n` }))
    await once(socket, 'data')
    await until(() => gate.calls() === 3)
    socket.resetAndDestroy()
    await until(() => server.requestsInProgress() === 0)
    gate.open()
    await until(() => server.heldBytes() === 0)
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    expect([gate.calls(), server.errors]).toEqual([3, []])
  },
)
