import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { workplace } from '../../support/cli-sandbox.ts'
import { connect } from '../../support/postgres/connection-urls.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { PEOPLE } from '../../support/store/records.ts'

/** Both files exceed one batch. The points belong to the people. The last person takes the wallet of the first. */
const files = {
  'people.jsonl': toLines(
    ...Array.from({ length: 700 }, (_, id) => ({ passport_id: 1000 + id, main_wallet: `0x${1000 + id}` })),
    { passport_id: 1000 },
    { passport_id: 5000, main_wallet: '0x1000' },
  ),
  'points.jsonl': toLines(
    ...Array.from({ length: 700 }, (_, id) => ({ passport: 1000 + id, type: 'github', value: id })),
  ),
}
const NAMES = ['people.jsonl', 'points.jsonl']
const pathsIn = (folder: string) => NAMES.map((name) => join(folder, name))

withEveryEngine('import --dry-run', (makeDatabase, engine) => {
  test('a dry run of several files reports the same as the import, and changes nothing', async () => {
    await using here = await workplace(makeDatabase, { files, records: PEOPLE })
    const before = await here.look((store) => store.records.list(0, 2000))
    const dry = await here.call('import', '--dry-run', ...pathsIn(here.cwd))
    expect(await here.look((store) => store.records.list(0, 2000))).toEqual(before)
    const real = await here.call('import', ...pathsIn(here.cwd))
    expect(dry).toEqual({ ...real, err: `Nothing was imported. ${real.err}` })
    expect(real.code).toBe(0)
  })

  test('a dry run on a missing database reports the same as the import, and creates no file, folder or table', async () => {
    await using here = await workplace(makeDatabase, { files, bare: true })
    const dry = await here.call('import', '--dry-run', ...pathsIn(here.cwd))
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining('1,402 lines: 1,401 added') })
    expect(existsSync(here.database)).toBe(false)
    expect(readdirSync(here.cwd).toSorted()).toEqual(NAMES)
    if (engine === 'postgres') {
      await using sql = connect(here.env.DATABASE_URL)
      expect(await sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
    } else {
      here.env.DATABASE_URL = `sqlite:${here.path('data/new.db')}`
      expect((await here.call('import', '--dry-run', ...pathsIn(here.cwd))).code).toBe(0)
      expect(existsSync(here.path('data'))).toBe(false)
    }
  })
})
