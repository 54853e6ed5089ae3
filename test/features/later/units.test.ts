import { expect, test } from 'bun:test'
import { limited } from '../../support/http/limited-server.ts'

const SEARCH = '/search/advanced/profiles'

test.each([
  ['/profile?id=7', 1],
  [`/farcaster/scores?fids=${Array(25).fill('1').join(',')}`, 1],
  [`/farcaster/scores?fids=${Array(100).fill('1').join(',')}`, 4],
  [SEARCH, 5],
  [`${SEARCH}?query=no-json`, 5],
  [`${SEARCH}?per_page=250`, 14],
  [`${SEARCH}?per_page=1&query[walletAddresses][]=0x1${'&query[walletAddresses][]=0x1'.repeat(99)}`, 8],
])('GET %s counts as %d requests', async (path, units) => {
  await using server = await limited('anonymous=100/24h')
  const { headers } = await server.get(path)
  expect(headers.get('RateLimit')).toContain(`r=${100 - units};`)
})
