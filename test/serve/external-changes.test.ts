import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { workplace } from '../support/cli-sandbox.ts'
import { timeUntil } from '../support/processes.ts'
import { withEngine, withEveryEngine } from '../support/store/engines.ts'
import { toLines } from '../support/store/json-lines.ts'
import { named } from '../support/store/records.ts'

const MAX_MILLISECONDS = 15_000

withEveryEngine('serve', (makeDatabase) => {
  test('lists records imported by another process within about a second, and finds them by id at once', async () => {
    const files = { 'new.jsonl': toLines({ passport_id: 2, passport_profile: { display_name: 'Grace' } }) }
    await using here = await workplace(makeDatabase, { files, records: [named(1, 'Ada')] })
    await using server = await here.serve()
    const getJson = async (path: string) => (await fetch(`${server.url}/api/v1/${path}`)).json()
    expect((await getJson('passports')).pagination.total).toBe(1)
    expect((await here.run('import', 'new.jsonl')).code).toBe(0)
    const isListed = async (query: string, total: number) =>
      (await getJson(`passports?${query}`)).pagination.total === total
    expect(await getJson('passports/2')).toMatchObject({
      passport: { passport_profile: { display_name: 'Grace' } },
    })
    expect(await timeUntil(() => isListed('', 2))).toBeLessThan(MAX_MILLISECONDS)
    expect(await timeUntil(() => isListed('keyword=grace', 1))).toBeLessThan(MAX_MILLISECONDS)

    expect((await here.run('remove', '2', '--yes')).code).toBe(0)
    expect((await fetch(`${server.url}/api/v1/passports/2`)).status).toBe(404)
    expect(await timeUntil(() => isListed('keyword=grace', 0))).toBeLessThan(MAX_MILLISECONDS)
  })
})

withEngine('sqlite', 'serve', (makeDatabase) => {
  test('writes no file except the database and its WAL', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    await using server = await here.serve(['--demo'])
    for (const path of [
      'passports',
      'passports/42',
      'passports?keyword=ada',
      'passport_credentials?passport_id=42',
    ]) {
      expect((await fetch(`${server.url}/api/v1/${path}`)).status).toBe(200)
    }
    expect(readdirSync(dirname(here.database)).toSorted()).toEqual(['test.db', 'test.db-shm', 'test.db-wal'])
    expect(readdirSync(here.cwd)).toEqual([])
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(readdirSync(dirname(here.database))).toContain('test.db')
  })
})
