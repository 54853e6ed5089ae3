import { expect, test } from 'bun:test'
import { EXEMPT, serveAt, testRetirement } from '../../support/frozen/retirement.ts'
import { makeKey } from '../../support/http/keys.ts'
import { NOON } from '../../support/store/records.ts'

const BROWNOUT = { start: NOON, end: NOON + 3_600_000 }

testRetirement({
  version: 'v2',
  golden: 'v2-',
  brownout: BROWNOUT,
  sunsetAt: NOON,
  successor: 'https://example.com/next',
})

test('during a brownout, exempt keys may still use V2', async () => {
  await using server = await serveAt({ brownouts: [BROWNOUT], exempt: [EXEMPT] })
  const [exempt, other] = [await makeKey(server.store, 1), await makeKey(server.store, 2)]
  const statuses = [exempt, other].map(
    async ({ init }) => (await server.get('/api/v2/passports', init)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 410])
})
