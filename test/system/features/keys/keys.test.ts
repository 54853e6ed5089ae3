import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ApiKey } from '../../../../src/core/store/api-key.ts'
import { MAIN } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { USAGE } from '../../../support/features/keys.ts'
import { NO_PLAN, PLAN } from '../../../support/features/retire.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../../support/store/engines.ts'
import { ada, apiKey, NOON } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const KEY = /^ppd_([0-9a-f]{10})_[0-9a-f]{64}\n$/

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

type Shown = { id: string; key: string; state: string; [name: string]: unknown }

async function keyPlace(makeDatabase: MakeDatabase, stored: readonly ApiKey[] = []) {
  const here = await workplace(makeDatabase)
  await here.look(async (store) => {
    for (const key of stored) await store.keys.create(key)
  })
  const env = { ...here.env, TIERS: 'partner=100/1s+1000/month' }
  const keys = (...args: string[]) => callHere(['keys', ...args], { env, now: NOON })
  const list = async (...args: string[]): Promise<Shown[]> =>
    JSON.parse((await keys('list', '--json', ...args)).out)
  const create = (name: string, ...args: string[]): Promise<Shown> =>
    here.json('keys', 'create', '--name', name, ...args)
  const ids = async (...args: string[]) => (await list(...args)).map(({ id }) => id).toSorted()
  return { ...here, keys, list, create, ids }
}

withEveryEngine('keys', (makeDatabase, engine) => {
  test('create prints the key once, and the database stores only its hash', async () => {
    await using here = await workplace(makeDatabase)
    const { out, err, code } = await here.call('keys', 'create', '--name', 'Åsa & co')
    expect(code).toBe(0)
    expect(out).toMatch(KEY)
    expect(err).toContain('Åsa & co')
    expect(err).not.toContain(out.trim())
    const [kept] = await here.look((store) => store.keys.list())
    expect(kept).toMatchObject({ id: KEY.exec(out)?.[1] as string, name: 'Åsa & co' })
    expect(Buffer.from(kept?.hash ?? []).toString('hex')).toBe(
      new Bun.CryptoHasher('sha256').update(out.trim()).digest('hex'),
    )
    expect(Object.keys(kept ?? {}).sort()).toEqual([
      'createdAt',
      'hash',
      'id',
      'name',
      'origins',
      'owner',
      'scopes',
      'tier',
      'types',
    ])
    if (engine === 'sqlite')
      expect(readFileSync(here.database).toString('latin1')).not.toContain(out.trim().slice(-64))
  })

  test('rotate copies the properties of a key to its successor, and the old key stays valid during the grace period', async () => {
    await using here = await workplace(makeDatabase)
    const given = ['--name', 'a', '--tier', 'high', '--owner', 'a@example.com', '--expires', '2099-01-31']
    const first = KEY.exec((await here.call('keys', 'create', ...given)).out)?.[1] as string
    await here.look((store) => store.data(PLAN).save({ ...NO_PLAN, exempt: [first] }))
    const begin = Date.now()
    const { out, err } = await here.call('keys', 'rotate', first, '--grace', '2h')
    const second = KEY.exec(out)?.[1] as string
    expect(err).toStartWith(`This is key ${second} for a, which replaces ${first}, valid until `)
    expect(err).toContain(' It expires 2099-01-31 00:00 UTC. Keep it')
    const { old, made, plan } = await here.look(async (store) => ({
      old: await store.keys.find(first),
      made: await store.keys.find(second),
      plan: await store.data(PLAN).find(),
    }))
    expect(made).toMatchObject({ name: 'a', tier: 'high', owner: 'a@example.com' })
    expect(made?.expiresAt).toBe(Date.UTC(2099, 0, 31))
    expect(old?.expiresAt).toBeGreaterThanOrEqual(begin + 2 * 3_600_000)
    expect(old?.expiresAt).toBeLessThanOrEqual(Date.now() + 2 * 3_600_000)
    expect(plan?.exempt).toEqual([first, second])
  })

  test('a running server soon accepts a new key, and refuses a key that is revoked or rotated with --grace 0', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using server = await here.listen({ REQUIRE_API_KEY: 'true' })
    const first = (await here.call('keys', 'create', '--name', 'a')).out.trim()
    const ask = async (key: string) =>
      (await fetch(`${server.url}/api/v3/passports/7`, { headers: { 'X-API-KEY': key } })).status
    expect([await ask(first), await ask('')]).toEqual([200, 401])
    const rotated = await here.call('keys', 'rotate', first, '--grace', '0', '--json')
    const second = JSON.parse(rotated.out)
    expect(second).toMatchObject({ name: 'a', state: 'active', expires_at: null })
    await until(async () => (await ask(second.key)) === 200)
    await until(async () => (await ask(first)) === 401)
    expect(await here.call('keys', 'revoke', second.id)).toMatchObject({ code: 0 })
    await until(async () => (await ask(second.key)) === 401)
    for (const [key, state] of [
      [first, 'expired'],
      [second.key, 'revoked'],
    ]) {
      await here.refuses(`is ${state} and cannot be rotated: create another key with`, 'keys', 'rotate', key)
    }
  })

  test('list shows only the keys of the given tier, owner or state, and how much of their monthly quota is left', async () => {
    await using here = await keyPlace(makeDatabase, KEYS)
    expect(await here.ids('--active')).toEqual(['active', 'ending', 'other'])
    expect(await here.ids('--tier', 'high')).toEqual(['other'])
    expect(await here.ids('--owner', 'ada@example.com')).toEqual(['active'])
    expect(await here.ids('--owner', '', '--active')).toEqual(['ending', 'other'])
    expect((await here.keys('list', '--tier', 'none')).err).toContain('There are no such keys in')

    const day = new Date(NOON).toISOString().slice(0, 10)
    const requests = (status: number, count: number) =>
      ({ day, key: 'active', endpoint: 'list', status, count }) as const
    await here.look((store) => store.data(USAGE).add([requests(200, 300), requests(429, 50)], new Map()))
    expect((await here.list('--active')).find(({ id }) => id === 'active')).toMatchObject({
      monthly_quota: 1000,
      monthly_left: 700,
    })
    expect((await here.list('--tier', 'high'))[0]).toMatchObject({ monthly_quota: null, monthly_left: null })
    const { out } = await here.keys('list', '--active')
    expect(out).toMatch(/LEFT THIS MONTH\n/)
    expect(out).toMatch(/^active .* 700 of 1,000$/m)
    expect((await here.keys('list', '--tier', 'high')).out).not.toContain('LEFT')
  })

  test('purge deletes keys that were revoked or expired before the given time', async () => {
    await using here = await keyPlace(makeDatabase, KEYS)
    const purged = await here.keys('purge', '--older-than', '30d')
    expect(purged).toMatchObject({ code: 0, err: '3 keys deleted that ended more than 30 d ago.\n' })
    expect(await here.ids()).toEqual(['active', 'ending', 'other', 'recent'])
    expect((await here.keys('purge', '--older-than', '1d')).err).toContain('1 key deleted')
    expect((await here.keys('purge', '--older-than', 'x')).code).toBe(2)
  })
})

withEngine('sqlite', 'keys', (makeDatabase) => {
  test('list shows the id, state and last use of each key, but never the key itself', async () => {
    await using here = await keyPlace(makeDatabase)
    expect(await here.call('keys', 'list')).toEqual({
      out: '',
      code: 0,
      err: `There are no keys in ${here.database}: "keys create --name NAME" creates one.\n`,
    })
    const made = await here.create('李 wide', '--expires', '2099-01-31')
    expect(made).toMatchObject({ state: 'active', expires_at: '2099-01-31T00:00:00.000Z', revoked_at: null })
    const second = await here.create('b', '--tier', 'high', '--owner', 'ada@example.com')
    await here.look((store) => store.data(USAGE).add([], new Map([[second.id, NOON]])))
    expect((await here.call('keys', 'revoke', made.id)).err).toBe(`Key ${made.id} is revoked.\n`)
    const { out } = await here.call('keys', 'list')
    const day = '\\d{4}-\\d\\d-\\d\\d'
    expect(out).toMatch(/^ID +NAME +STATE +TIER +OWNER +SCOPES +CREATED +EXPIRES +LAST USED\n/)
    expect(out).toMatch(
      new RegExp(`${made.id} +李 wide +revoked +standard +- +read +${day} +2099-01-31 +never\n`),
    )
    expect(out).toMatch(
      new RegExp(`${second.id} +b +active +high +ada@example.com +read +${day} +never +2026-01-02\n`),
    )
    expect(out).not.toContain('ppd_')
    const json = await here.list()
    expect(json.map(({ id }) => id).sort()).toEqual([made.id, second.id].sort())
    expect(JSON.stringify(json)).not.toContain('hash')
  })

  test('set changes the tier, owner and expiry date of a key that is not revoked', async () => {
    await using here = await keyPlace(makeDatabase)
    const { id } = await here.create('a', '--tier', 'high')
    const set = (...args: string[]) => here.call('keys', 'set', id, ...args)
    const changed = { out: '', err: `Key ${id} is changed.\n`, code: 0 }
    expect(await set('--tier', 'unlimited', '--owner', 'bo@example.com')).toEqual(changed)
    expect(await here.list()).toMatchObject([{ id, name: 'a', tier: 'unlimited', owner: 'bo@example.com' }])
    for (const [date, code, shown] of [
      ['2099-01-31', 0, '2099-01-31T00:00:00.000Z'],
      ['2020-01-31', 2, '2099-01-31T00:00:00.000Z'],
      ['never', 0, null],
    ] as const) {
      expect(await set('--expires', date)).toMatchObject({ code })
      expect(await here.list()).toMatchObject([{ expires_at: shown }])
    }
    await here.refuses('There is no key "nope"', 'keys', 'set', 'nope', '--name', 'b')
    await here.call('keys', 'revoke', id)
    expect(await set('--tier', 'high')).toEqual({
      out: '',
      err: `passportd: Key ${id} is revoked and cannot be changed: create another key with "keys create".\n`,
      code: 1,
    })
  })

  test('the error about a mistyped key does not contain its secret part', async () => {
    await using here = await keyPlace(makeDatabase)
    const { key } = await here.create('a')
    const unknown = `There is no key "nope" in ${here.database}: "keys list" shows the ids.\n`
    await here.refuses(unknown, 'keys', 'revoke', 'nope')
    for (const wrong of [key.slice(0, -1), `${key}0`, key.toUpperCase().replace('PPD', 'ppd')]) {
      const { err, code } = await here.call('keys', 'revoke', wrong)
      expect(code).toBe(1)
      expect(err).toContain('There is no key "ppd_')
      expect(err).not.toContain(wrong.slice(15, 30))
    }
    expect((await here.call('keys', 'revoke', key)).code).toBe(0)
  })

  test('a key that cannot be printed is revoked', async () => {
    await using here = await workplace(makeDatabase)
    const script = 'exec "$0" "$1" keys create --name a > /dev/full'
    const { cwd, env } = here
    const child = Bun.spawn(['sh', '-c', script, process.execPath, MAIN], { cwd, env, stderr: 'pipe' })
    expect(await child.exited).toBe(1)
    expect(await new Response(child.stderr).text()).toStartWith(
      'passportd: The key could not be printed, and was revoked: ',
    )
    const [key] = await here.json('keys', 'list')
    expect(key.state).toBe('revoked')
  })
})
