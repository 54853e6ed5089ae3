import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { makeKey } from '../../support/http/keys.ts'
import { until } from '../../support/wait-until.ts'
import { startTestService } from '../support/service.ts'

const FIRST = 100_000
/** The writes that wait for the writer thread. */
const MOST = 16
const LEFT = -1

test('writes above the limit of the queue get 503, and a write whose client leaves is not made', async () => {
  await using service = await startTestService()
  const { init } = await makeKey(service.store, 1, { scopes: ['write:*'] })
  const write = (at: number) => {
    const client = { at, status: 0, leave: new AbortController() }
    const response = fetch(new URL('/api/v3/records', service.url), {
      method: 'POST',
      body: JSON.stringify({ records: [{ passport_id: FIRST + at }] }),
      headers: { ...init.headers, 'Content-Type': 'application/json' },
      keepalive: false,
      signal: client.leave.signal,
    })
    const done = response.then(
      ({ status }) => {
        client.status = status
      },
      () => {
        client.status = LEFT
      },
    )
    return Object.assign(client, { done })
  }
  using other = new Database(service.databaseUrl.replace('sqlite:', ''))
  other.run('pragma busy_timeout = 10000')
  other.run('begin immediate')
  const clients = Array.from({ length: MOST + 3 }, (_, at) => write(at))
  await until(() => clients.filter(({ status }) => status === 503).length === 3)
  const waiting = clients.filter(({ status }) => status === 0)
  const left = waiting.at(-1)
  left?.leave.abort()
  other.run('rollback')
  await Promise.all(clients.map(({ done }) => done))
  const stored = await Promise.all(
    clients.map(async ({ at }) => (await service.store.passports.find({ id: FIRST + at })) !== undefined),
  )
  expect(stored).toEqual(clients.map((client) => waiting.includes(client) && client !== left))
  expect(waiting.map(({ status }) => status)).toEqual([...Array(MOST - 1).fill(200), LEFT])
})
