import { expect, test } from 'bun:test'
import { limited } from '../../support/http/limited-server.ts'

const SEARCH = '/api/v2/search/advanced/passport_app__passports?query[identity]=zoe'

test('a search counts as 5 requests, and as one with exactMatch', async () => {
  await using server = await limited('anonymous=100/10s')
  const remaining = async (path: string) => (await server.anonymous(path)).headers.get('RateLimit')
  expect(await remaining(`${SEARCH}&query[exactMatch]=true`)).toBe('"anonymous";r=99;t=10')
  expect(await remaining(SEARCH)).toBe('"anonymous";r=94;t=10')
})
