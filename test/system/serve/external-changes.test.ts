import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { named } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

withEveryEngine('serve', (makeDatabase, engine) => {
  test('when another process imports records, a running server finds them by id at once and soon lists them', async () => {
    const files = { 'new.jsonl': toLines({ passport_id: 2, passport_profile: { display_name: 'Grace' } }) }
    await using here = await workplace(makeDatabase, { files, records: [named(1, 'Ada')] })
    await using server = await here.serve()
    const getJson = async (path: string) => (await fetch(`${server.url}/api/v3/${path}`)).json()
    expect((await getJson('passports')).total).toBe(1)
    expect((await here.call('import', join(here.cwd, 'new.jsonl'))).code).toBe(0)
    const isListed = async (query: string, total: number) =>
      (await getJson(`passports?${query}`)).total === total
    expect(await getJson('passports/2')).toMatchObject({ passport_profile: { display_name: 'Grace' } })
    await until(() => isListed('', 2))
    await until(() => isListed('q=grace', 1))

    expect((await here.call('remove', '2', '--yes')).code).toBe(0)
    expect((await fetch(`${server.url}/api/v3/passports/2`)).status).toBe(404)
    await until(() => isListed('q=grace', 0))
    if (engine === 'postgres') return
    // The server writes no file except the database and its WAL.
    expect(readdirSync(dirname(here.database)).toSorted()).toEqual(['test.db', 'test.db-shm', 'test.db-wal'])
    expect(readdirSync(here.cwd)).toEqual(['new.jsonl'])
  })
})
