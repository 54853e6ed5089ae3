import { expect, test } from 'bun:test'
import { createClient, type Deprecation, PassportError } from '../../../packages/client/src/index.ts'
import { NO_PLAN, retiredBy } from '../../support/features/retire.ts'
import { failureOf, serveRecords } from '../../support/http/server.ts'
import { named } from '../../support/store/records.ts'

test('passports.list iterates over all pages, and passports.page returns one page', async () => {
  const people = Array.from({ length: 23 }, (_, id) => named(id, `Person ${id}`, id))
  await using service = await serveRecords({}, people)
  const { passports } = createClient({ baseUrl: `${service.url}` })
  const all = await Array.fromAsync(passports.list({ perPage: 5 }))
  expect(all.map(({ passport_id }) => passport_id)).toEqual(people.map(({ id }) => id).reverse())
  const page = await passports.page({ page: 2, perPage: 5 })
  expect(page.passports.map(({ passport_id }) => passport_id)).toEqual([17, 16, 15, 14, 13])
  expect(page.pagination).toEqual({ current_page: 2, last_page: 5, total: 23 })
  expect(await Array.fromAsync(passports.list({ keyword: 'person 1', perPage: 3 }))).toHaveLength(11)
  expect(await Array.fromAsync(passports.list({ keyword: 'nobody & co?' }))).toEqual([])
})

test('an error response throws a PassportError with code, status and request id', async () => {
  await using closed = await serveRecords({ requireKey: true })
  const error = await failureOf(createClient({ baseUrl: closed.url }).passports.get(7))
  expect(error).toBeInstanceOf(PassportError)
  expect(error).toMatchObject({ code: 'unauthorized', status: 401, message: 'Unauthorized request.' })
  expect((error as PassportError).requestId).toMatch(/^[\w-]{8,}$/)
  await using service = await serveRecords()
  const { passports, credentials } = createClient({ baseUrl: service.url })
  for (const find of [
    () => passports.get(999),
    () => passports.get('../passports'),
    () => credentials.list('0xnobody'),
  ]) {
    expect(await failureOf(find())).toMatchObject({ code: 'not_found', status: 404 })
  }
  expect(await failureOf(passports.page({ page: 0 }))).toMatchObject({
    code: 'invalid_request',
    message: 'page must be a whole number from 1, got "0".',
  })
  expect(await failureOf(passports.get(' '))).toBeInstanceOf(TypeError)
  expect(await failureOf(credentials.list(''))).toBeInstanceOf(TypeError)
})

test('onDeprecation is called once for the same deprecation notice, with its links', async () => {
  const plan = { ...NO_PLAN, sunsetAt: Date.UTC(2099, 0, 1), successor: 'https://next.example/v2' }
  await using service = await serveRecords(retiredBy(() => plan))
  const notices: Deprecation[] = []
  const client = createClient({ baseUrl: service.url, onDeprecation: (notice) => notices.push(notice) })
  await client.passports.get(7)
  await client.passports.get(3)
  expect(notices).toEqual([
    {
      deprecatedAt: new Date('2025-03-31'),
      sunsetAt: new Date('2099-01-01'),
      links: {
        deprecation: new URL('/deprecation', service.url).href,
        sunset: new URL('/deprecation', service.url).href,
        'successor-version': 'https://next.example/v2',
      },
    },
  ])
})
