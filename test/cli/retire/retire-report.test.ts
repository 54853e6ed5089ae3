import { expect, test } from 'bun:test'
import { NO_PLAN } from '../../../src/domain/retirement.ts'
import { dayOf, type UsageCount } from '../../../src/domain/usage.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'
import { runHere } from '../../support/terminal.ts'

const DAY = 86_400_000
const KEY = { hash: new Uint8Array(32), tier: 'standard', createdAt: 0 }

const used = (daysAgo: number, key: string, count: number, status = 200): UsageCount => ({
  day: dayOf(NOON - daysAgo * DAY),
  key,
  endpoint: 'list',
  status,
  count,
})

withEveryEngine('retire report', (makeDatabase) => {
  async function office() {
    const here = await workplace(makeDatabase)
    await here.look(async (store) => {
      for (const [id, owner] of [
        ['falling', 'ada@example.com'],
        ['steady', 'grace@example.com'],
        ['rising', 'ada@example.com'],
        ['stopped', 'gone@example.com'],
        ['unowned', ''],
        ['silent', 'silent@example.com'],
      ] as const)
        await store.keys.create({ ...KEY, id, name: `The ${id} one`, owner })
      await store.keys.create({
        ...KEY,
        id: 'revoked',
        name: 'r',
        owner: 'revoked@example.com',
        revokedAt: 1,
      })
      await store.usage.add(
        [
          used(0, 'falling', 20),
          used(29, 'falling', 29),
          used(29, 'falling', 1, 304),
          used(30, 'falling', 60),
          used(59, 'falling', 40),
          used(60, 'falling', 5000),
          used(3, 'steady', 102),
          used(33, 'steady', 100),
          used(3, 'rising', 1500, 410),
          used(40, 'rising', 1000),
          used(40, 'stopped', 7),
          used(1, 'unowned', 3),
          used(1, 'revoked', 2),
          used(1, '', 900),
          used(31, '', 1000),
        ],
        new Map([['falling', NOON - 1000]]),
      )
      await store.retirement.save({ ...NO_PLAN, exempt: ['steady'] })
    })
    return {
      ...here,
      report: (...args: string[]) => runHere(['retire', 'report', ...args], { env: here.env }),
    }
  }

  test('the report lists clients, their trend and their owners', async () => {
    await using here = await office()
    const { out } = await here.report()
    expect(
      out,
    ).toBe(`Requests to V1 from 2025-12-04 to 2026-01-02, and from 2025-11-04 to 2025-12-03 before that

KEY        NAME                   OWNER                REQUESTS  BEFORE  CHANGE         LAST USED                EXEMPT
rising     The rising one         ada@example.com      1,500     1,000   rising +50%    -
steady     The steady one         grace@example.com    102       100     steady +2%     -                        exempt
falling    The falling one        ada@example.com      50        100     falling -50%   2026-01-02 11:59:59 UTC
unowned    The unowned one        -                    3         0       new            -
revoked    r (revoked)            revoked@example.com  2         0       new            -
stopped    The stopped one        gone@example.com     0         7       stopped -100%  -
anonymous  clients without a key  -                    900       1,000   falling -10%   -
`)
  })

  test('--since compares with as many days before, and --json prints the same report', async () => {
    await using here = await office()
    const report = JSON.parse((await here.report('--since', '2026-01-02', '--json')).out)
    expect(report).toMatchObject({
      since: '2026-01-02',
      until: '2026-01-02',
      before: { since: '2026-01-01', until: '2026-01-01' },
      without_key: { requests: 0, requests_before: 900, change_percent: -100, trend: 'stopped' },
    })
    expect(
      report.callers.map(({ key, requests }: { key: string; requests: number }) => [key, requests]),
    ).toEqual([
      ['falling', 20],
      ['revoked', 0],
      ['unowned', 0],
    ])
    expect(report.callers[0]).toEqual({
      key: 'falling',
      name: 'The falling one',
      owner: 'ada@example.com',
      state: 'active',
      last_used_at: '2026-01-02T11:59:59.000Z',
      requests: 20,
      requests_before: 0,
      change_percent: null,
      trend: 'new',
      exempt: false,
    })
  })

  test('the report without requests has one row for clients without a key', async () => {
    await using here = await workplace(makeDatabase, { records: [] })
    const { out } = await runHere(['retire', 'report'], { env: here.env })
    expect(out).toContain('anonymous  clients without a key  -      0         0       none    -\n')
  })
})
