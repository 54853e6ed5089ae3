import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { NO_PLAN } from '../../src/domain/retirement.ts'
import { MAIN } from '../support/cli.ts'
import { workplace } from '../support/cli-sandbox.ts'
import { until } from '../support/processes.ts'
import { type EngineName, withEngine, withEveryEngine } from '../support/store/engines.ts'
import { ada } from '../support/store/records.ts'

const KEY = /^ppd_([0-9a-f]{10})_[0-9a-f]{64}\n$/

/** A node with SQLite refuses an invalid key at once, a node with PostgreSQL within about a second. */
async function untilRefused(engine: EngineName, ask: () => Promise<number>): Promise<void> {
  if (engine === 'sqlite') expect(await ask()).toBe(401)
  else await until(async () => (await ask()) === 401)
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
    expect(Object.keys(kept ?? {}).sort()).toEqual(['createdAt', 'hash', 'id', 'name', 'owner', 'tier'])
  })

  test('the successor of a rotated key has its properties, and the old key stays valid during the grace period', async () => {
    await using here = await workplace(makeDatabase)
    const given = ['--name', 'a', '--tier', 'high', '--owner', 'a@example.com', '--expires', '2099-01-31']
    const first = KEY.exec((await here.call('keys', 'create', ...given)).out)?.[1] as string
    await here.look((store) => store.retirement.save({ ...NO_PLAN, exempt: [first] }))
    const begin = Date.now()
    const { out, err } = await here.call('keys', 'rotate', first, '--grace', '2h')
    const second = KEY.exec(out)?.[1] as string
    expect(err).toStartWith(`This is key ${second} for a, which replaces ${first}, valid until `)
    expect(err).toContain(' It expires 2099-01-31 00:00 UTC. Keep it')
    const { old, made, plan } = await here.look(async (store) => ({
      old: await store.keys.find(first),
      made: await store.keys.find(second),
      plan: await store.retirement.find(),
    }))
    expect(made).toMatchObject({ name: 'a', tier: 'high', owner: 'a@example.com' })
    expect(made?.expiresAt).toBe(Date.UTC(2099, 0, 31))
    expect(old?.expiresAt).toBeGreaterThanOrEqual(begin + 2 * 3_600_000)
    expect(old?.expiresAt).toBeLessThanOrEqual(Date.now() + 2 * 3_600_000)
    expect(plan?.exempt).toEqual([first, second])
  })

  test('rotation with --grace 0 ends the old key at once, and an invalid key is not rotated', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using server = await here.listen({ REQUIRE_API_KEY: 'true' })
    const first = (await here.call('keys', 'create', '--name', 'a')).out.trim()
    const ask = async (key: string) =>
      (await fetch(`${server.url}/api/v1/passports/7`, { headers: { 'X-API-KEY': key } })).status
    expect(await ask(first)).toBe(200)
    const rotated = await here.call('keys', 'rotate', first, '--grace', '0', '--json')
    const second = JSON.parse(rotated.out)
    expect(second).toMatchObject({ name: 'a', state: 'active', expires_at: null })
    expect(await ask(second.key)).toBe(200)
    await untilRefused(engine, () => ask(first))
    await here.call('keys', 'revoke', second.id)
    for (const [key, state] of [
      [first, 'expired'],
      [second.key, 'revoked'],
    ]) {
      const refused = await here.call('keys', 'rotate', key)
      expect(refused).toMatchObject({ out: '', code: 1 })
      expect(refused.err).toMatch(new RegExp(`is ${state} and cannot be rotated: create another key with`))
    }
  })

  test('a running server accepts a new key at once, and refuses a revoked key soon', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using server = await here.listen({ REQUIRE_API_KEY: 'true' })
    const { out } = await here.call('keys', 'create', '--name', 'me')
    const ask = async (key: string) =>
      (await fetch(`${server.url}/api/v1/passports/7`, { headers: { 'X-API-KEY': key } })).status
    expect(await ask(out.trim())).toBe(200)
    expect(await ask('')).toBe(401)
    await here.call('keys', 'revoke', KEY.exec(out)?.[1] as string)
    await untilRefused(engine, () => ask(out.trim()))
  })
})

withEngine('sqlite', 'keys', (makeDatabase) => {
  test('concurrent processes create distinct keys', async () => {
    await using here = await workplace(makeDatabase)
    const make = () => here.run('keys', 'create', '--name', 'same')
    const made = await Promise.all([make(), make(), make()])
    expect(made.map(({ code, err }) => (code === 0 ? '' : err))).toEqual(['', '', ''])
    expect(new Set(made.map(({ out }) => out)).size).toBe(3)
  })

  test('list shows ids and states, and never a key', async () => {
    await using here = await workplace(makeDatabase, { records: [] })
    expect(await here.call('keys', 'list')).toEqual({
      out: '',
      code: 0,
      err: `There are no keys in ${here.database}: "keys create --name NAME" creates one.\n`,
    })
    const expiring = ['--name', '李 wide', '--expires', '2099-01-31']
    const made = JSON.parse((await here.call('keys', 'create', ...expiring, '--json')).out)
    expect(made).toMatchObject({
      name: '李 wide',
      state: 'active',
      expires_at: '2099-01-31T00:00:00.000Z',
      revoked_at: null,
    })
    const second = JSON.parse((await here.call('keys', 'create', '--name', 'b', '--json')).out)
    expect((await here.call('keys', 'revoke', made.id)).err).toBe(`Key ${made.id} is revoked.\n`)
    const { out } = await here.call('keys', 'list')
    expect(out).toMatch(/^ID +NAME +STATE +TIER +OWNER +CREATED +EXPIRES +LAST USED\n/)
    expect(out).toMatch(
      new RegExp(`${made.id} +李 wide +revoked +standard +- +\\d{4}-\\d\\d-\\d\\d +2099-01-31 +never\n`),
    )
    expect(out).toMatch(
      new RegExp(`${second.id} +b +active +standard +- +\\d{4}-\\d\\d-\\d\\d +never +never\n`),
    )
    expect(out).not.toContain('ppd_')
    const json = JSON.parse((await here.call('keys', 'list', '--json')).out)
    expect(json.map(({ id }: { id: string }) => id).sort()).toEqual([made.id, second.id].sort())
    expect(JSON.stringify(json)).not.toContain('hash')
  })

  test('set changes the tier and the owner of a key', async () => {
    await using here = await workplace(makeDatabase)
    const given = ['--name', 'a', '--tier', 'high', '--owner', 'ada@example.com', '--json']
    const { id } = JSON.parse((await here.call('keys', 'create', ...given)).out)
    const LAST_USE = Date.UTC(2026, 0, 2, 3)
    await here.look((store) => store.usage.add([], new Map([[id, LAST_USE]])))
    expect((await here.call('keys', 'list')).out).toMatch(
      new RegExp(`${id} +a +active +high +ada@example.com +[\\d-]+ +never +2026-01-02\n`),
    )
    expect(await here.call('keys', 'set', id, '--tier', 'unlimited', '--owner', 'bo@example.com')).toEqual({
      out: '',
      err: `Key ${id} is changed.\n`,
      code: 0,
    })
    expect(JSON.parse((await here.call('keys', 'list', '--json')).out)).toMatchObject([
      {
        id,
        name: 'a',
        tier: 'unlimited',
        owner: 'bo@example.com',
        last_used_at: new Date(LAST_USE).toISOString(),
      },
    ])
    expect((await here.call('keys', 'set', 'nope', '--name', 'b')).err).toContain('There is no key "nope"')
  })

  test('set --expires changes the expiry date of a key, and --expires never removes the date', async () => {
    await using here = await workplace(makeDatabase)
    const { id } = JSON.parse((await here.call('keys', 'create', '--name', 'a', '--json')).out)
    const expiryAfter = async (date: string) => {
      const { code } = await here.call('keys', 'set', id, '--expires', date)
      const [key] = JSON.parse((await here.call('keys', 'list', '--json')).out)
      return [code, key.expires_at]
    }
    expect(await expiryAfter('2099-01-31')).toEqual([0, '2099-01-31T00:00:00.000Z'])
    expect(await expiryAfter('2020-01-31')).toEqual([2, '2099-01-31T00:00:00.000Z'])
    expect(await expiryAfter('never')).toEqual([0, null])
  })

  test('set refuses a revoked key', async () => {
    await using here = await workplace(makeDatabase)
    const { id } = JSON.parse((await here.call('keys', 'create', '--name', 'a', '--json')).out)
    await here.call('keys', 'revoke', id)
    expect(await here.call('keys', 'set', id, '--tier', 'high')).toEqual({
      out: '',
      err: `passportd: Key ${id} is revoked and cannot be changed: create another key with "keys create".\n`,
      code: 1,
    })
  })

  test('a key with a successor is not rotated again', async () => {
    await using here = await workplace(makeDatabase)
    const first = KEY.exec((await here.call('keys', 'create', '--name', 'a')).out)?.[1] as string
    const second = KEY.exec((await here.call('keys', 'rotate', first)).out)?.[1] as string
    const refused = await here.call('keys', 'rotate', first)
    expect(refused).toMatchObject({ out: '', code: 1 })
    expect(refused.err).toContain(`already rotated: rotate its successor ${second}, or create another key`)
    const third = KEY.exec((await here.call('keys', 'rotate', second)).out)?.[1] as string
    const keys = await here.look((store) => store.keys.list())
    expect(keys).toHaveLength(3)
    expect(keys.find(({ id }) => id === third)?.expiresAt).toBeUndefined()
  })

  test('revoke accepts the id or the whole key, and refuses an unknown id', async () => {
    await using here = await workplace(makeDatabase)
    const { out: key } = await here.call('keys', 'create', '--name', 'a')
    expect(await here.call('keys', 'revoke', 'nope')).toEqual({
      out: '',
      err: `passportd: There is no key "nope" in ${here.database}: "keys list" shows the ids.\n`,
      code: 1,
    })
    expect((await here.call('keys', 'revoke', key.trim())).code).toBe(0)
  })

  test('a mistyped key is not printed', async () => {
    await using here = await workplace(makeDatabase)
    const { out } = await here.call('keys', 'create', '--name', 'a')
    for (const wrong of [
      out.trim().slice(0, -1),
      `${out.trim()}0`,
      out.trim().toUpperCase().replace('PPD', 'ppd'),
    ]) {
      const { err, code } = await here.call('keys', 'revoke', wrong)
      expect(code).toBe(1)
      expect(err).toContain('There is no key "ppd_')
      expect(err).not.toContain(wrong.slice(15, 30))
    }
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
    const [key] = JSON.parse((await here.call('keys', 'list', '--json')).out)
    expect(key.state).toBe('revoked')
  })

  test('the file contains only the hash of a key', async () => {
    await using here = await workplace(makeDatabase)
    const { out } = await here.call('keys', 'create', '--name', 'a')
    const file = readFileSync(here.database).toString('latin1')
    expect(file).toContain(KEY.exec(out)?.[1] as string)
    expect(file).not.toContain(out.trim().slice(-64))
  })
})
