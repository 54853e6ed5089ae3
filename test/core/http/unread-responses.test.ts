import { expect, test } from 'bun:test'
import type { FindByKeys } from '../../../src/core/store/rows/passport.ts'
import { makeKey } from '../../support/http/keys.ts'
import { openRequest } from '../../support/http/raw-request.ts'
import { serveTest } from '../../support/http/server.ts'
import { rawLookup } from '../../support/http/servers.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ada, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const MEBIBYTE = 1024 * 1024
const SOON = { stallSeconds: 1 }

/** A passport of 90 KB. */
const large = (id: number) =>
  record(id, { socials: Array(10).fill({ ...ada.socials[0], bio: 'x'.repeat(9000) }) })

const LARGE = large(1)

const LOOKUP = JSON.stringify({ keys: Array(1000).fill('1') })

test.concurrent('if a client does not read the response of its lookup, at most 2 MiB wait in memory, and the client is disconnected', async () => {
  await using opened = await openTestStore('sqlite', [LARGE])
  const { key } = await makeKey(opened, 1)
  let reads = 0
  const find = async (...args: Parameters<FindByKeys>) => {
    reads++
    return opened.passports.findByKeys(...args)
  }
  // Long enough for a busy machine: the bytes are released when the client is disconnected.
  await using server = serveTest(
    { ...opened, passports: { ...opened.passports, findByKeys: find } },
    { limits: { ...SOON, stallSeconds: 8 } },
  )
  const socket = openRequest(server.port, rawLookup(key, LOOKUP))
  await until(() => server.heldBytes() > 0, 'held bytes')
  expect(server.heldBytes()).toBeLessThanOrEqual(2 * MEBIBYTE)
  await until(() => server.requestsInProgress() === 0, 'the end of the request')
  await until(() => server.heldBytes() === 0, 'released bytes')
  // The kernel buffers up to 4 MB; the whole response would be 90 reads of 1 MiB.
  expect(reads).toBeLessThan(10)
  expect(server.errors).toEqual([])
  socket.destroy()
})

test('a client that does not read a response waits for the next one, and other clients are not affected', async () => {
  await using store = await openTestStore('sqlite', [
    LARGE,
    ...Array.from({ length: 60 }, (_, at) => record(at + 2)),
  ])
  const [one, other] = [await makeKey(store, 1), await makeKey(store, 2)]
  await using server = serveTest(store, { limits: { bytes: 5 * MEBIBYTE, stallSeconds: 60 } })
  const socket = openRequest(server.port, rawLookup(one.key, LOOKUP))
  await until(() => server.heldBytes() === 2 * MEBIBYTE)
  // Small responses need no bytes.
  expect((await server.get('/api/v1/passports/2', one.init)).status).toBe(200)
  expect((await server.get('/api/v3/passports/1', other.init)).status).toBe(200)
  expect((await server.get('/api/v3/passports/1')).status).toBe(200)
  let isWaiting = true
  const list = server.get('/api/v3/passports?limit=60', one.init).finally(() => {
    isWaiting = false
  })
  expect((await server.get('/api/v3/passports?limit=60&sort=-score', other.init)).body.items).toHaveLength(60)
  expect(isWaiting).toBe(true)
  socket.destroy()
  expect((await list).body.items).toHaveLength(60)
})
