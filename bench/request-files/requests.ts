/** The requests that bench/request-files/main.ts runs under coverage. */
import { expect, test } from 'bun:test'
import { serveTest } from '../../test/support/http/server.ts'
import { openTestStore } from '../../test/support/store/engines.ts'
import { named } from '../../test/support/store/records.ts'

test('requests by id', async () => {
  await using store = await openTestStore('sqlite', [named(7, 'Ada')])
  await using server = serveTest(store)
  const count = Number(process.env.REQUESTS)
  let succeeded = 0
  for (let request = 0; request < count; request++) {
    const { ok } = await fetch(new URL('/api/v1/passports/7', server.url))
    succeeded += Number(ok)
  }
  expect(succeeded).toBe(count)
})
