import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiKey } from '../../src/domain/api-key.ts'
import type { Store } from '../../src/store/store.ts'
import { workplace } from '../support/cli-sandbox.ts'
import { withEveryEngine } from '../support/store/engines.ts'
import { apiKey, NOON } from '../support/store/records.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { callHere } from '../support/terminal.ts'

const DAY = 86_400_000
const KEYS: ApiKey[] = [
  apiKey('active', { tier: 'partner', owner: 'Ada@example.com', hash: Buffer.alloc(32, 1) }),
  apiKey('other', { tier: 'high', owner: '', hash: Buffer.alloc(32, 2) }),
  apiKey('expired', { expiresAt: NOON - 40 * DAY, hash: Buffer.alloc(32, 3) }),
  apiKey('revoked', { revokedAt: NOON - 40 * DAY, hash: Buffer.alloc(32, 4) }),
  apiKey('both', { revokedAt: NOON - DAY, expiresAt: NOON - 40 * DAY, hash: Buffer.alloc(32, 5) }),
  apiKey('recent', { revokedAt: NOON - 2 * DAY, hash: Buffer.alloc(32, 6) }),
  apiKey('ending', { expiresAt: NOON + DAY, hash: Buffer.alloc(32, 7) }),
]

async function create(store: Store): Promise<void> {
  for (const key of KEYS) await store.keys.create(key)
}

withEveryEngine('keys', (makeDatabase) => {
  async function keyPlace() {
    const here = await workplace(makeDatabase)
    await here.look(create)
    const env = { ...here.env, TIERS: 'partner=100/1s+1000/month' }
    const keys = (...args: string[]) => callHere(['keys', ...args], { env, now: NOON })
    const list = async (...args: string[]) => JSON.parse((await keys('list', '--json', ...args)).out)
    const ids = async (...args: string[]) =>
      (await list(...args)).map(({ id }: { id: string }) => id).toSorted()
    return { ...here, keys, list, ids }
  }

  test('list has only the keys of a tier, an owner or a state', async () => {
    await using here = await keyPlace()
    expect(await here.ids('--active')).toEqual(['active', 'ending', 'other'])
    expect(await here.ids('--tier', 'high')).toEqual(['other'])
    expect(await here.ids('--owner', 'ada@example.com')).toEqual(['active'])
    expect(await here.ids('--owner', '', '--active')).toEqual(['ending', 'other'])
    expect((await here.keys('list', '--tier', 'none')).err).toContain('There are no such keys in')
  })

  test('list shows how much of the monthly quota is left', async () => {
    await using here = await keyPlace()
    const day = new Date(NOON).toISOString().slice(0, 10)
    const requests = (status: number, count: number) =>
      ({ day, key: 'active', endpoint: 'list', status, count }) as const
    await here.look((store) => store.usage.add([requests(200, 300), requests(429, 50)], new Map()))
    expect((await here.list('--active')).find(({ id }: { id: string }) => id === 'active')).toMatchObject({
      monthly_quota: 1000,
      monthly_left: 700,
    })
    expect((await here.list('--tier', 'high'))[0]).toMatchObject({ monthly_quota: null, monthly_left: null })
    const { out } = await here.keys('list', '--active')
    expect(out).toMatch(/LEFT THIS MONTH\n/)
    expect(out).toMatch(/^active .* 700 of 1,000$/m)
    expect((await here.keys('list', '--tier', 'high')).out).not.toContain('LEFT')
  })

  test('purge deletes keys that ended before the given time', async () => {
    await using here = await keyPlace()
    const purged = await here.keys('purge', '--older-than', '30d')
    expect(purged).toMatchObject({ code: 0, err: '3 keys deleted that ended more than 30 d ago.\n' })
    expect(await here.ids()).toEqual(['active', 'ending', 'other', 'recent'])
    expect((await here.keys('purge', '--older-than', '1d')).err).toContain('1 key deleted')
    expect((await here.keys('purge', '--older-than', 'x')).code).toBe(2)
  })
})

test.each([[[]], [['--demo']]])('keys create %p does not create a missing database', async (args) => {
  using folder = tempFolder()
  const path = join(folder.path, 'mistyped.db')
  const { out, err, code } = await callHere(['keys', 'create', ...args, '--name', 'a'], {
    env: { DATABASE_URL: `sqlite:${path}` },
  })
  expect({ out, code }).toEqual({ out: '', code: 1 })
  expect(err).toContain(`There is no database ${path} yet: check DATABASE_URL, or create it with "serve" (`)
  expect(existsSync(path)).toBe(false)
})
