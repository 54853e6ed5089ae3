import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { USAGE } from '../../support/features/keys.ts'
import { withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { ada, apiKey, NOON } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

withEveryEngine('scopes of keys', (makeDatabase) => {
  test('a new key has the scope read, and set replaces its scopes and types', async () => {
    await using here = await workplace(makeDatabase)
    const { id, ...made } = await here.json('keys', 'create', '--name', 'a')
    expect(made).toMatchObject({ scopes: ['read'], types: [], origins: [], seen_in_browser: false })
    const grants = ['--scope', 'events, write:github,events', '--types', 'commits,stars']
    expect(await here.call('keys', 'set', id, ...grants)).toMatchObject({ code: 0 })
    const changed = { scopes: ['events', 'write:github'], types: ['commits', 'stars'] }
    expect(await here.json('keys', 'list')).toMatchObject([changed])
    expect((await here.call('keys', 'list')).out).toContain(' events,write:github (commits,stars) ')
    const successor = await here.json('keys', 'rotate', id)
    expect(successor).toMatchObject(changed)
    const { err, code } = await here.call('keys', 'set', id, '--scope', 'read')
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('only for keys with the scope write:NAME: remove the types with --types ""'),
    ])
    await here.call('keys', 'set', id, '--scope', 'read', '--types', '')
    expect(await here.look((store) => store.keys.find(id))).toMatchObject({ scopes: ['read'], types: [] })
  })

  test('a publishable key has another prefix and normalised origins, and stays publishable', async () => {
    await using here = await workplace(makeDatabase)
    const origins = 'https://A.example:443, https://b.example:8443/,http://localhost:3000,https://a.example'
    const made = await here.json('keys', 'create', '--name', 'a', '--publishable', '--origin', origins)
    const { id } = made
    expect(made.key).toMatch(/^ppdp_[0-9a-f]{10}_[0-9a-f]{64}$/)
    const normalised = ['https://a.example', 'https://b.example:8443', 'http://localhost:3000']
    expect(made).toMatchObject({ scopes: ['read'], origins: normalised })
    expect((await here.call('keys', 'list')).out).toEndWith(` ${normalised.join(',')}\n`)
    for (const [option, value, reason] of [
      ['--scope', 'read,events', '--scope must be read for a publishable key'],
      ['--types', 'a', '--types is only for keys with the scope write:NAME'],
    ] as const) {
      const { code, err } = await here.call('keys', 'set', id, option, value)
      expect([code, err]).toEqual([2, expect.stringContaining(reason)])
    }
    expect((await here.call('keys', 'set', made.key, '--origin', 'https://c.example')).code).toBe(0)
    const successor = await here.json('keys', 'rotate', id)
    expect(successor).toMatchObject({ scopes: ['read'], origins: ['https://c.example'] })
    expect(successor.key).toStartWith(`ppdp_${successor.id}_`)
    await here.refuses(`There is no key "ppdp_${id}_…"`, 'keys', 'revoke', `${made.key}0`)
  })
})

withEngine('sqlite', 'scopes of keys', (makeDatabase) => {
  test('a secret key does not become publishable, and list flags a secret key that a page sent', async () => {
    await using here = await workplace(makeDatabase)
    await here.look((store) => store.keys.create(apiKey('copied')))
    const { code, err } = await here.call('keys', 'set', 'copied', '--origin', 'https://a.example')
    expect([code, err]).toEqual([2, expect.stringContaining('--origin is only for publishable keys')])
    expect((await here.call('keys', 'list')).out).not.toContain('ORIGINS')
    await here.look((store) => store.data(USAGE).add([], new Map([['copied', NOON]]), new Set(['copied'])))
    const { out } = await here.call('keys', 'list')
    expect(out).toMatch(/ LAST USED +ORIGINS\ncopied .* never +2026-01-02 +seen in a browser: rotate it\n$/)
    expect(await here.json('keys', 'list')).toMatchObject([{ id: 'copied', seen_in_browser: true }])
  })

  test('the command in a 403 adds the missing scope to the key', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using server = await here.listen()
    const { key } = await here.json('keys', 'create', '--name', 'a')
    const ask = () => fetch(`${server.url}/api/v3/events`, { headers: { 'X-API-KEY': key } })
    const refused = await ask()
    const { detail } = (await refused.json()) as { detail: string }
    expect(refused.status).toBe(403)
    expect(detail).toStartWith(
      'This request needs a key with the scope events: the operator can add it with ',
    )
    expect(detail).not.toContain(key)
    const [, command = ''] = /"passportd (.*)"/.exec(detail) ?? []
    expect(command).toEndWith(' --scope read,events')
    expect((await here.call(...command.split(' '))).code).toBe(0)
    // Reads of the server share a transaction for five milliseconds.
    await until(async () => (await ask()).status === 200)
  })
})
