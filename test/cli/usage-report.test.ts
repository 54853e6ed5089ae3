import { expect, test } from 'bun:test'
import { formatCsv } from '../../src/cli/csv.ts'
import { dayOf, type UsageCount } from '../../src/domain/usage.ts'
import type { Store } from '../../src/store/store.ts'
import { workplace } from '../support/cli-sandbox.ts'
import { withEveryEngine } from '../support/store/engines.ts'

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
  const key = { name: '=1+1, "Ada"', hash: new Uint8Array(32), tier: 'high', createdAt: 1 }
  await store.keys.create({ ...key, id: 'k1', owner: 'ada@example.com' })
  await store.usage.add(
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
  test('usage shows days, and clients by number of requests', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(fill)
    const { out, err, code } = await here.call('usage', ...MARCH)
    expect({ err, code }).toEqual({ err: `\n${CAUTION}`, code: 0 })
    expect(out).toBe(`2,010 requests from 2026-03-01 to 2026-03-10, 24.9% of them errors.

DAY         REQUESTS  ERRORS
2026-03-01  1,500     0%
2026-03-03  510       98.0%

KEY        NAME         OWNER            REQUESTS  ERRORS  ENDPOINTS              LAST USED
k1         =1+1, "Ada"  ada@example.com  2,000     25.0%   list 1,500, other 500  2026-03-03
anonymous  -            -                10        0%      list 10                -
`)
  })

  test('--key shows one client by day, endpoint and status', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(fill)
    const one = await here.call('usage', '--key', 'k1', ...MARCH)
    expect(one.out).toStartWith('2,000 requests of key k1 (=1+1, "Ada") from 2026-03-01 to 2026-03-10, 25.0%')
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

  test('--json is one document, --csv a line for each count', async () => {
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
    expect(await here.call('usage', '--csv', ...MARCH)).toEqual({
      out: [
        'day,key,name,owner,endpoint,status,requests',
        `2026-03-01,k1,"'=1+1, ""Ada""",ada@example.com,list,200,1500`,
        '2026-03-03,anonymous,,,list,200,10',
        `2026-03-03,k1,"'=1+1, ""Ada""",ada@example.com,other,404,500`,
        '',
      ].join('\r\n'),
      err: '',
      code: 0,
    })
  })

  test('the default is the last 30 days; without requests the report is a sentence, an empty document or a header', async () => {
    await using here = await workplace(makeDatabase)
    const today = Date.now()
    const [first, before] = [29, 30].map((days) => dayOf(today - days * 86_400_000)) as [string, string]
    await here.look((store) =>
      store.usage.add([used(first, '', 200, 3), used(before, '', 200, 4)], new Map()),
    )
    expect(await here.json('usage')).toMatchObject({ since: first, requests: 3 })
    expect(await here.call('usage', ...MARCH)).toEqual({
      out: '',
      err: `No requests were counted from 2026-03-01 to 2026-03-10 in ${here.database}. ${CAUTION}`,
      code: 0,
    })
    expect((await here.call('usage', '--csv', ...MARCH)).out).toBe(
      'day,key,name,owner,endpoint,status,requests\r\n',
    )
    expect(await here.json('usage', '--until', '0000-01-02')).toMatchObject({
      since: '0000-01-01',
      keys: [],
      days: [],
    })
  })
})

test.each([
  ['=1', "'=1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@a', "'@a"],
  ['\t1', "'\t1"],
  ['\r1', `"'\r1"`],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['a=b', 'a=b'],
  ['＝1+1', "'＝1+1"],
  ['', ''],
])('%j is written to CSV as text', (text, field) => {
  expect(formatCsv([[text, -1]])).toBe(`${field},-1\r\n`)
})
