import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { USAGE } from '../../support/features/keys.ts'
import type { UsageCount } from '../../support/http/rate-limits.ts'
import { onEveryEngine, withEveryEngine } from '../../support/store/engines.ts'
import { apiKey } from '../../support/store/records.ts'

const CAUTION = 'Counts are a few seconds behind; a crash loses no more than those seconds.\n'
const LAST_USE = Date.UTC(2026, 2, 3, 12)
const MARCH = ['--since', '2026-03-01', '--until', '2026-03-10']

const used = (day: string, key: string, status: number, count: number): UsageCount => ({
  day,
  key,
  endpoint: status === 404 ? 'other' : 'list',
  status,
  count,
})

async function fill(store: Store): Promise<void> {
  await store.keys.create(apiKey('k1', { name: '=1+1, "Ada"', tier: 'high', owner: 'ada@example.com' }))
  await store
    .data(USAGE)
    .add(
      [
        used('2026-03-01', 'k1', 200, 1500),
        used('2026-03-03', 'k1', 404, 500),
        used('2026-03-03', '', 200, 10),
        used('2024-01-01', '', 200, 7),
      ],
      new Map([['k1', LAST_USE]]),
    )
}

withEveryEngine('usage', (makeDatabase) => {
  test('usage shows the requests of each day, and the clients sorted by their number of requests', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(fill)
    const { out, err, code } = await here.call('usage', ...MARCH)
    expect({ err, code }).toEqual({ err: `\n${CAUTION}`, code: 0 })
    expect(out).toBe(`2,010 requests from 2026-03-01 to 2026-03-10, 24.9% of them errors.

DAY         REQUESTS  ERRORS
2026-03-01  1,500     0%
2026-03-03  510       98%

KEY        NAME         OWNER            REQUESTS  ERRORS  ENDPOINTS              LAST USED
k1         =1+1, "Ada"  ada@example.com  2,000     25%     list 1,500, other 500  2026-03-03
anonymous  -            -                10        0%      list 10                -
`)
  })

  test('endpoints of V1 and V2 are counted separately, and --v1 leaves out the endpoints of v3', async () => {
    await using here = await workplace(makeDatabase)
    const seen = (endpoint: string, count: number) => ({ ...used('2026-03-01', '', 200, count), endpoint })
    const counts = [seen('v2_list', 3), seen('list', 2), seen('v3_list', 1)]
    await here.look((store) => store.data(USAGE).add(counts, new Map()))
    expect((await here.call('usage', ...MARCH)).out).toMatch(/anonymous .* list 2, v2_list 3, v3_list 1 /)
    expect((await here.call('usage', '--v1', ...MARCH)).out).toMatch(/anonymous .* 5 .* list 2, v2_list 3 /)
  })

  test('usage --key shows the requests of one client by day, endpoint and status', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(fill)
    const one = await here.call('usage', '--key', 'k1', ...MARCH)
    expect(one.out).toStartWith('2,000 requests of key k1 (=1+1, "Ada") from 2026-03-01 to 2026-03-10, 25%')
    expect(one.out).toEndWith(
      `
DAY         ENDPOINT  STATUS  REQUESTS
2026-03-01  list      200     1,500
2026-03-03  other     404     500
`,
    )
    const nobody = await here.call('usage', '--key', 'anonymous', '--json', '--since', '2024-01-01')
    expect(JSON.parse(nobody.out)).toMatchObject({
      key: { id: 'anonymous', name: '', owner: '', last_used_at: null },
      requests: 17,
      counts: [
        { day: '2024-01-01', endpoint: 'list', status: 200, count: 7 },
        { day: '2026-03-03', endpoint: 'list', status: 200, count: 10 },
      ],
    })
    const unknown = `There is no key "nope" in ${here.database}: "keys list" shows the ids; "anonymous" stands for`
    await here.refuses(unknown, 'usage', '--key', 'nope')
  })

  test('usage --json prints one JSON document', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(fill)
    expect(await here.json('usage', ...MARCH)).toEqual({
      since: '2026-03-01',
      until: '2026-03-10',
      requests: 2010,
      errors: 500,
      keys: [
        {
          id: 'k1',
          name: '=1+1, "Ada"',
          owner: 'ada@example.com',
          last_used_at: new Date(LAST_USE).toISOString(),
          requests: 2000,
          errors: 500,
          endpoints: { list: 1500, other: 500 },
        },
        {
          id: 'anonymous',
          name: '',
          owner: '',
          last_used_at: null,
          requests: 10,
          errors: 0,
          endpoints: { list: 10 },
        },
      ],
      days: [
        { day: '2026-03-01', requests: 1500, errors: 0 },
        { day: '2026-03-03', requests: 510, errors: 500 },
      ],
    })
  })

  test('usage covers the last 30 days by default; without requests it prints a sentence, or an empty document with --json', async () => {
    await using here = await workplace(makeDatabase)
    const today = Date.now()
    const [first, before] = [29, 30].map((days) =>
      new Date(today - days * 86_400_000).toISOString().slice(0, 10),
    ) as [string, string]
    await here.look((store) =>
      store.data(USAGE).add([used(first, '', 200, 3), used(before, '', 200, 4)], new Map()),
    )
    expect(await here.json('usage')).toMatchObject({ since: first, requests: 3 })
    expect(await here.call('usage', ...MARCH)).toEqual({
      out: '',
      err: `No requests were counted from 2026-03-01 to 2026-03-10 in ${here.database}. ${CAUTION}`,
      code: 0,
    })
    expect(await here.json('usage', ...MARCH)).toMatchObject({
      keys: [],
      days: [],
    })
  })
})

const add = (store: Store, ...counts: UsageCount[]) => store.data(USAGE).add(counts, new Map())
const ALL = { since: '0000-01-01', until: '9999-12-31' }

onEveryEngine('stored usage', (open) => {
  test('the usage of a key is the number of its responses, except 304 and 429', async () => {
    await using store = await open()
    const days = ['2026-01-31', '2026-02-01', '2026-02-14', '2026-02-28', '2026-03-01']
    const counts = days.flatMap((day) => [200, 304, 404, 429].map((status) => used(day, 'a', status, 2)))
    await add(store, ...counts, used('2026-02-01', '', 200, 9))
    const sums = await store.data(USAGE).sumMonth('2026-02-28')
    expect(sums).toEqual(new Map([['a', 12]]))
  })

  test('the last-use time of a key never decreases, and the times of unknown keys are ignored', async () => {
    await using store = await open()
    const key = apiKey('one')
    await store.keys.create(key)
    await store.data(USAGE).add([], new Map([['one', 50]]))
    await store.data(USAGE).add([], new Map(Object.entries({ one: 40, gone: 60 })))
    expect(await store.keys.list()).toEqual([{ ...key, lastUsedAt: 50 }])
  })

  test('no counts are lost if several nodes add counts at the same time', async () => {
    await using store = await open()
    const counts = Array.from({ length: 20 }, (_, at) => used('2026-01-01', `k${at}`, 200, 1))
    const adding = Array.from({ length: 12 }, (_, turn) =>
      add(store, ...(turn % 2 ? counts : counts.toReversed())),
    )
    await Promise.all(adding)
    const rows = await store.data(USAGE).list(ALL)
    expect(rows).toHaveLength(20)
    expect(new Set(rows.map(({ count }) => count))).toEqual(new Set([12]))
  })
})
