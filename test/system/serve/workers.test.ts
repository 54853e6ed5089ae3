import { describe, expect, test } from 'bun:test'
import { refuseWorkers } from '../../../src/serve/command.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { childrenOf } from '../../support/process-info.ts'
import { withEngine } from '../../support/store/engines.ts'
import { until } from '../../support/wait-until.ts'

/** Uses one connection per request, so that every thread gets some requests. */
const statuses = async (url: string, headers: Record<string, string> = {}) => [
  ...new Set(
    await Promise.all(
      Array.from({ length: 40 }, async () => (await fetch(url, { headers, keepalive: false })).status),
    ),
  ),
]

withEngine('postgres', 'serve --workers', (makeDatabase) => {
  describe.skipIf(process.platform !== 'linux')('on Linux', () => {
    test('every worker soon refuses a revoked key', async () => {
      await using here = await workplace(makeDatabase)
      await using server = await here.serve(['--workers', '2'], { REQUIRE_API_KEY: 'true' })
      expect(childrenOf(server.child.pid)).toEqual([])
      const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
      const ask = async () => (await statuses(`${server.url}/api/v3/passports`, { 'X-API-KEY': key })).join()
      expect(await ask()).toBe('200')
      expect((await here.call('keys', 'revoke', key)).code).toBe(0)
      await until(async () => (await ask()) === '401')
    })
  })
})

test('several workers are refused unless the system is Linux', () => {
  expect(() => refuseWorkers(64, 'linux')).not.toThrow()
  expect(() => refuseWorkers(1, 'darwin')).not.toThrow()
  expect(() => refuseWorkers(2, 'darwin')).toThrow('--workers 2 needs Linux')
})
