import { describe, expect, test } from 'bun:test'
import {
  createClient,
  createMemoryCache,
  type Deprecation,
  PassportError,
} from '../../packages/client/src/index.ts'
import { NO_PLAN } from '../../src/domain/retirement.ts'
import { openTestStore } from '../support/engines.ts'
import { ADA_WALLET, ada, GRACE_OLD_WALLET, named, PEOPLE } from '../support/records.ts'
import { serveTest } from '../support/server.ts'

/** A real service. */
async function serve(options: Parameters<typeof serveTest>[1] = {}, records = PEOPLE) {
  const store = await openTestStore('sqlite', records)
  const server = serveTest(store, options)
  return {
    store,
    server,
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

const failure = (work: Promise<unknown>): Promise<PassportError> =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error) => error,
  )

describe('against the service', () => {
  test('a passport is found by id and by wallet', async () => {
    await using service = await serve()
    const client = createClient({ baseUrl: service.url })
    const passport = await client.passports.get(7)
    expect(passport).toEqual((await service.server.get('/api/v1/passports/7')).body.passport)
    expect(await client.passports.get('7')).toEqual(passport)
    expect(await client.passports.get(ADA_WALLET)).toEqual(passport)
    expect((await client.passports.get(GRACE_OLD_WALLET)).merged).toBe(true)
  })

  test('the list comes whole, over all its pages, or by page', async () => {
    const people = Array.from({ length: 23 }, (_, id) => named(id, `Person ${id}`, id))
    await using service = await serve({}, people)
    const client = createClient({ baseUrl: `${service.url}` })
    const ids: number[] = []
    for await (const { passport_id } of client.passports.list({ perPage: 5 })) ids.push(passport_id)
    expect(ids).toEqual(people.map(({ id }) => id).reverse())
    const page = await client.passports.page({ page: 2, perPage: 5 })
    expect(page.passports.map(({ passport_id }) => passport_id)).toEqual([17, 16, 15, 14, 13])
    expect(page.pagination).toEqual({ current_page: 2, last_page: 5, total: 23 })
    const found = client.passports.list({ keyword: 'person 1', perPage: 3 })
    expect((await Array.fromAsync(found)).length).toBe(11)
    expect(await Array.fromAsync(client.passports.list({ keyword: 'nobody & co?' }))).toEqual([])
  })

  test('credentials are found by id and by wallet', async () => {
    await using service = await serve()
    const client = createClient({ baseUrl: service.url })
    const credentials = await client.credentials.list(7)
    expect(credentials.length).toBe(ada.credentials?.length as number)
    expect(await client.credentials.list(ADA_WALLET)).toEqual(credentials)
  })

  test('what the service refuses is an error with its code, status and request id', async () => {
    await using service = await serve({ requireKey: true })
    const error = await failure(createClient({ baseUrl: service.url }).passports.get(7))
    expect(error).toBeInstanceOf(PassportError)
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, message: 'Unauthorized request.' })
    expect(error.requestId).toMatch(/^[\w-]{8,}$/)
  })

  test('what is not there, and what is asked wrongly, is told by its code', async () => {
    await using service = await serve()
    const client = createClient({ baseUrl: service.url })
    expect(await failure(client.passports.get(999))).toMatchObject({ code: 'not_found', status: 404 })
    expect(await failure(client.passports.get('../passports'))).toMatchObject({ code: 'not_found' })
    expect(await failure(client.credentials.list('0xnobody'))).toMatchObject({ code: 'not_found' })
    expect(await failure(client.passports.page({ page: 0 }))).toMatchObject({
      code: 'invalid_request',
      message: 'page must be a whole number from 1, got "0".',
    })
    expect(await failure(client.passports.get(' '))).toBeInstanceOf(TypeError)
    expect(await failure(client.credentials.list(''))).toBeInstanceOf(TypeError)
  })

  test('with a cache, what has not changed is not sent again', async () => {
    await using service = await serve()
    const statuses: number[] = []
    const client = createClient({
      baseUrl: service.url,
      cache: createMemoryCache(),
      async fetch(url, init) {
        const answer = await fetch(url, init)
        statuses.push(answer.status)
        return answer
      },
    })
    const first = await client.passports.get(7)
    expect(await client.passports.get(7)).toEqual(first)
    await service.store.passports.remove(7, 0)
    expect(await failure(client.passports.get(7))).toMatchObject({ code: 'not_found' })
    expect(statuses).toEqual([200, 304, 404])
  })

  test('the end of the API is told once, with where to read more', async () => {
    const plan = { ...NO_PLAN, sunsetAt: Date.UTC(2099, 0, 1), successor: 'https://next.example/v2' }
    await using service = await serve({ plan: () => plan })
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
})

type Answer = [status: number, body: unknown, headers?: Record<string, string>]
const PASSPORT: Answer = [200, { passport: { passport_id: 7 } }]
const AWAY: Answer = [503, { error: 'Away.', code: 'unavailable', request_id: 'r' }, { 'Retry-After': '0' }]

/** Answers one after the other, and the last one for ever. */
function answers(...list: Answer[]) {
  /** With which key. */
  const asked: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const [status, body, headers = {}] = list[Math.min(asked.length, list.length - 1)] as Answer
      asked.push(request.headers.get('X-API-KEY'))
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    },
  })
  return { url: server.url, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

describe('where something fails', () => {
  test('a service that is away for a moment is asked again', async () => {
    await using service = answers(AWAY, AWAY, PASSPORT)
    const client = createClient({ baseUrl: service.url, apiKey: 'k' })
    expect((await client.passports.get(7)).passport_id).toBe(7)
    expect(service.asked).toEqual(['k', 'k', 'k'])
  })

  test('not for ever', async () => {
    await using service = answers(AWAY)
    const error = await failure(createClient({ baseUrl: service.url }).passports.get(7))
    expect(error).toMatchObject({ code: 'unavailable', status: 503, requestId: 'r', retryAfter: 0 })
    expect(service.asked.length).toBe(3)
  })

  test.each([400, 401, 403, 404, 410, 431])('status %i is not tried again', async (status) => {
    await using service = answers([
      status,
      { error: 'No.', code: 'x', request_id: 'r' },
      { 'Retry-After': '0' },
    ])
    expect(await failure(createClient({ baseUrl: service.url }).passports.get(7))).toMatchObject({ status })
    expect(service.asked.length).toBe(1)
  })

  test('who is over a limit waits as long as the service says, as a number or as a date', async () => {
    const limited = (after: string): Answer => [
      429,
      { error: 'x', code: 'rate_limited', request_id: 'r' },
      { 'Retry-After': after },
    ]
    await using service = answers(limited('0'), limited(new Date(Date.now() - 1000).toUTCString()), PASSPORT)
    await createClient({ baseUrl: service.url }).passports.get(7)
    expect(service.asked.length).toBe(3)
    await using busy = answers(limited('3600'))
    const error = await failure(createClient({ baseUrl: busy.url }).passports.get(7))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfter: 3_600_000 })
    expect(busy.asked.length).toBe(1)
  })

  test('an answer that is not the service’s is told as such', async () => {
    for (const body of ['<html>', '{"a":1}', '[]', 'null', '']) {
      await using service = answers([200, body])
      const error = await failure(createClient({ baseUrl: service.url }).passports.get(7))
      expect(error).toMatchObject({ code: 'invalid_answer' })
      expect(service.asked.length).toBe(1)
    }
    await using proxy = answers([502, '<h1>Bad gateway</h1>', { 'Retry-After': '0' }])
    const error = await failure(createClient({ baseUrl: proxy.url, retries: 1 }).passports.get(7))
    expect(error).toMatchObject({ code: 'invalid_answer', status: 502 })
    expect(proxy.asked.length).toBe(2)
  })

  test('a redirect is not followed: the key is for the service alone', async () => {
    await using other = answers(PASSPORT)
    await using service = answers([302, '', { Location: `${other.url}api/v1/passports/7` }])
    const error = await failure(
      createClient({ baseUrl: service.url, apiKey: 'k', retries: 0 }).passports.get(7),
    )
    expect(error).toMatchObject({ code: 'network' })
    expect(other.asked.length).toBe(0)
  })

  test('whoever asked can call it off: before, while it is under way, and between two tries', async () => {
    await using service = answers([503, '', { 'Retry-After': '20' }])
    const client = createClient({ baseUrl: service.url })
    const reason = new Error('No longer.')
    expect(await failure(client.passports.get(7, { signal: AbortSignal.abort(reason) }))).toBe(
      reason as PassportError,
    )
    expect(service.asked.length).toBe(0)
    const controller = new AbortController()
    const waiting = failure(client.passports.get(7, { signal: controller.signal }))
    while (service.asked.length === 0) await Bun.sleep(1)
    await Bun.sleep(20)
    controller.abort(reason)
    expect(await waiting).toBe(reason as PassportError)
    expect(service.asked.length).toBe(1)
  })

  test('called off while the cache is looked into, it is not sent', async () => {
    await using service = answers([200, '{}'])
    const controller = new AbortController()
    const reason = new Error('No longer.')
    const cache = {
      async get() {
        controller.abort(reason)
        return undefined
      },
      set() {},
    }
    const client = createClient({ baseUrl: service.url, cache, timeout: 200, retries: 0 })
    expect(await failure(client.passports.get(7, { signal: controller.signal }))).toBe(
      reason as PassportError,
    )
    expect(service.asked.length).toBe(0)
  })

  test('what fails of the caller’s own is thrown as it is, and nothing is sent again', async () => {
    const full = new Error('The disk is full.')
    const fail = () => {
      throw full
    }
    await using service = answers([200, '{"passport":{}}', { ETag: '"a"', Deprecation: '@1' }])
    for (const own of [{ onDeprecation: fail }, { cache: { get: () => undefined, set: fail } }]) {
      service.asked.length = 0
      const client = createClient({ baseUrl: service.url, ...own })
      expect(await failure(client.passports.get(7))).toBe(full as PassportError)
      expect(service.asked.length).toBe(1)
    }
  })

  test('a time without end does not end at once, and a list without one does', async () => {
    await using service = answers([200, '{"passports":[],"pagination":{}}'])
    const client = createClient({ baseUrl: service.url, timeout: Number.POSITIVE_INFINITY, retries: 0 })
    expect(await Array.fromAsync(client.passports.list())).toEqual([])
    expect(service.asked.length).toBe(1)
    const fetch = (_: string, { signal }: RequestInit) =>
      Bun.sleep(30).then(() =>
        signal?.aborted ? Promise.reject(signal.reason) : Response.json({ passport: {} }),
      )
    const slow = createClient({ baseUrl: service.url, timeout: Number.POSITIVE_INFINITY, retries: 0, fetch })
    expect((await slow.passports.get(7)) as object).toEqual({})
  })

  test('a key that cannot be sent is refused at once, and not told', async () => {
    for (const apiKey of ['se\ncret', 'secret\0', 'secret→']) {
      expect(() => createClient({ baseUrl: 'http://localhost', apiKey })).toThrow(
        new TypeError('apiKey holds a character that no key of the service has.'),
      )
    }
    // As files have it.
    const sent: unknown[] = []
    const fetch = async (_: string, { headers }: RequestInit) => {
      sent.push((headers as Record<string, string>)['X-API-KEY'])
      return Response.json({ passport: {} })
    }
    await createClient({ baseUrl: 'http://localhost', apiKey: 'secret\r\n', fetch }).passports.get(7)
    expect(sent).toEqual(['secret'])
  })

  test('a base address that is none is refused at once', () => {
    expect(() => createClient({ baseUrl: 'nowhere' })).toThrow(
      'baseUrl must be an address such as https://host, got "nowhere".',
    )
  })
})

test('the cache in memory forgets what was used longest ago', async () => {
  const cache = createMemoryCache(2)
  for (const url of ['a', 'b']) await cache.set(url, { etag: url, body: url })
  await cache.get('a')
  await cache.set('c', { etag: 'c', body: 'c' })
  expect(
    [await cache.get('a'), await cache.get('b'), await cache.get('c')].map((each) => each?.body),
  ).toEqual(['a', undefined, 'c'])
})
