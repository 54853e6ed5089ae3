import { expect, test } from 'bun:test'
import { NO_PLAN } from '../../../src/domain/retirement.ts'
import { dayOf, type UsageCount } from '../../../src/domain/usage.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'
import { runHere } from '../../support/terminal.ts'

const KEY = { hash: new Uint8Array(32), tier: 'standard', createdAt: 0 }

const used = (daysAgo: number, key: string, count: number, more: Partial<UsageCount> = {}): UsageCount => ({
  day: dayOf(NOON - daysAgo * 86_400_000),
  key,
  endpoint: 'list',
  status: 200,
  count,
  ...more,
})

withEveryEngine('retire report', (makeDatabase) => {
  test('the report lists the clients of V1 with their owners, as a table and as JSON', async () => {
    await using here = await workplace(makeDatabase)
    await here.look(async (store) => {
      for (const [id, owner] of [
        ['busy', 'ada@example.com'],
        ['exempt', 'grace@example.com'],
        ['unowned', ''],
        ['silent', 'silent@example.com'],
      ] as const)
        await store.keys.create({ ...KEY, id, name: `The ${id} one`, owner })
      await store.keys.create({ ...KEY, id: 'revoked', name: 'r', owner: 'r@example.com', revokedAt: 1 })
      const counts = [
        used(0, 'busy', 1000),
        used(29, 'busy', 500, { status: 410 }),
        used(30, 'busy', 60),
        used(3, 'exempt', 102),
        used(3, 'exempt', 5, { endpoint: 'v3_passport' }),
        used(1, 'unowned', 3),
        used(1, 'revoked', 2),
        used(1, '', 900),
      ]
      await store.usage.add(counts, new Map([['busy', NOON - 1000]]))
      await store.retirement.save({ ...NO_PLAN, exempt: ['exempt'] })
    })
    const report = async (...args: string[]) =>
      (await runHere(['retire', 'report', ...args], { env: here.env })).out
    expect(await report()).toBe(`Requests to V1 from 2025-12-04 to 2026-01-02

KEY        NAME                   OWNER              REQUESTS  LAST USED                EXEMPT
busy       The busy one           ada@example.com    1,500     2026-01-02 11:59:59 UTC
exempt     The exempt one         grace@example.com  102       -                        exempt
unowned    The unowned one        -                  3         -
revoked    r (revoked)            r@example.com      2         -
anonymous  clients without a key  -                  900       -
`)
    expect(JSON.parse(await report('--since', '2026-01-02', '--json'))).toEqual({
      since: '2026-01-02',
      until: '2026-01-02',
      callers: [
        {
          key: 'busy',
          name: 'The busy one',
          owner: 'ada@example.com',
          state: 'active',
          last_used_at: '2026-01-02T11:59:59.000Z',
          requests: 1000,
          exempt: false,
        },
      ],
      without_key: {
        ...{ key: '', name: '', owner: '', state: '', last_used_at: null },
        ...{ requests: 0, exempt: false },
      },
    })
  })
})
