import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../../support/cli.ts'
import { callHere } from '../../../../support/cli-in-process.ts'
import { listAll } from '../../../../support/index/local-index.ts'
import { openAndClose, refusalOf, withOptions } from '../../../../support/postgres/connection-urls.ts'
import { startPgbouncer } from '../../../../support/postgres/pgbouncer.ts'
import { testDatabase } from '../../../../support/postgres/postgres.ts'
import { hasPrograms } from '../../../../support/programs.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres } from '../../../../support/store/open.ts'
import { named } from '../../../../support/store/records.ts'
import { tempFolder } from '../../../../support/temp-folder.ts'

/** The setting that docs/scale.md recommends. */
const IGNORED = /^ignore_startup_parameters = .+$/m.exec(
  readFileSync(join(import.meta.dir, '../../../../../docs/scale.md'), 'utf8'),
)?.[0] as string

const PEOPLE = Array.from({ length: 40 }, (_, id) => named(id, `Person ${id}`))

describe.if(hasPrograms('pgbouncer'))('PgBouncer', () => {
  test.each([
    ['session', 'max=4'],
    ['transaction', 'prepare=false&max=4'],
  ] as const)('two nodes read and write through PgBouncer in %s mode with %s', async (mode, options) => {
    await using database = await testDatabase()
    await using pooler = await startPgbouncer(database.url, mode, IGNORED)
    const url = withOptions(pooler.url, options)
    await using one = await openPostgres({ url })
    await using other = await openPostgres({ url })
    await Promise.all([saveRecords(one, PEOPLE.slice(0, 20)), saveRecords(other, PEOPLE.slice(20))])
    const found = await Promise.all(
      PEOPLE.map(async ({ id }, at) => (await (at % 2 ? one : other).passports.find({ id }))?.id),
    )
    expect(found).toEqual(PEOPLE.map(({ id }) => id))
    expect(await listAll(one, { size: 1, keyword: 'person 39' })).toMatchObject({ total: 1 })
  })

  test('an error of a pooler that refuses connection settings names the option to set', async () => {
    await using database = await testDatabase()
    await using pooler = await startPgbouncer(database.url, 'session', '')
    expect(await refusalOf(pooler.url)).toContain('ignore_startup_parameters')
  })

  test('an error of a pooler that mixes up prepared statements names the option to set', async () => {
    await using database = await testDatabase()
    await openAndClose(database.url)
    await using pooler = await startPgbouncer(database.url, 'transaction', IGNORED)
    using folder = tempFolder()
    const here = { cwd: folder.path, env: { DATABASE_URL: pooler.url } }
    let said = ''
    // All processes use the same statement names, so they collide after a few runs.
    while (said === '') said = (await run(['score'], here)).err.replace(/^Scored .*\n/, '')
    expect(said).toEndWith('that mixes up prepared statements: add prepare=false to its address.\n')
  })

  test.each([
    ['session', '', 0],
    ['transaction', 'prepare=false', 0],
    ['transaction', '', 1],
  ] as const)('doctor on PgBouncer in %s mode with "%s" exits with %d', async (mode, options, code) => {
    await using database = await testDatabase()
    await openAndClose(database.url)
    await using pooler = await startPgbouncer(database.url, mode, IGNORED)
    const env = { DATABASE_URL: withOptions(pooler.url, options) }
    const found = await callHere(['doctor'], { env })
    expect([found.code, found.out.includes('add prepare=false to its address')]).toEqual([code, code === 1])
  })
})
