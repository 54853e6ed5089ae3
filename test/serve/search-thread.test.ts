import { expect, test } from 'bun:test'
import { until } from '../support/processes.ts'
import { startTestService } from '../support/service.ts'
import { execute } from '../support/store/execute-sql.ts'

const SEARCH = 1

test('unexpected errors of the search thread are logged with its stack, in the background and for a request', async () => {
  await using service = await startTestService()
  await until(async () => (await service.get('/api/v3/passports?filter=human:true')).status === 200)
  // The new thread builds its index again, and cannot read a passport.
  await execute(service.databaseUrl, "update passports set tags = '5' where id = 42")
  service.threads[SEARCH]?.terminate()
  const findMessage = (start: string) =>
    service.messages().find((message) => message.startsWith(start) && message.includes('facets.ts'))
  await until(() => findMessage('The index for filters could not be updated: TypeError') !== undefined)
  await until(async () => (await service.get('/api/v3/passports?filter=human:true')).status === 500)
  await until(() => findMessage('TypeError') !== undefined)
  expect(service.messages().join()).not.toContain('The search-thread failed')
})
