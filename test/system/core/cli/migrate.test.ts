import { expect, test } from 'bun:test'
import { readFileSync, statfsSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { lock, MIGRATE } from '../../../../src/core/store/database/postgres/database.ts'
import { SCHEMA as POSTGRES_SCHEMA } from '../../../../src/core/store/database/postgres/migrate.ts'
import { SCHEMA as SQLITE_SCHEMA } from '../../../../src/core/store/database/sqlite/schema.ts'
import { diagnose } from '../../../../src/features/doctor/diagnose.ts'
import { DATABASE_COMMANDS } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { readLines } from '../../../support/log-lines.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { PROGRAM } from '../../../support/program/commands.ts'
import { databaseMaker, withEngine, withEveryEngine } from '../../../support/store/engines.ts'
import { execute, OLD_SCHEMA, revertSchema, setSchema } from '../../../support/store/execute-sql.ts'
import { openPostgres, RULE_SETS, USAGE } from '../../../support/store/open.ts'
import { record } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const SCHEMA = { sqlite: SQLITE_SCHEMA, postgres: POSTGRES_SCHEMA }

withEveryEngine('an older schema', (makeDatabase, engine) => {
  test('every command refuses a database with an older schema until "migrate" has migrated it', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const url = here.env.DATABASE_URL
    await revertSchema(url)
    const [old, wanted] = [OLD_SCHEMA[engine], SCHEMA[engine]]
    const sentence = `has schema ${old}, but this version needs ${wanted}: make a backup, then run "${PROGRAM} migrate".`
    for (const args of [...DATABASE_COMMANDS, ['copy', url, 'sqlite:/nowhere/copy.db']]) {
      await here.refuses(sentence, ...args)
    }
    expect((await here.call('doctor')).out).toContain(`run "${PROGRAM} migrate"`)
    expect(await here.call('migrate')).toMatchObject({
      code: 0,
      err: expect.stringMatching(new RegExp(`has schema ${wanted} now; it was ${old}\\.`)),
    })
    expect((await here.call('migrate')).err).toContain(`has schema ${wanted} already`)
    expect((await here.call('rules', 'list')).code).toBe(0)
  })
})

withEngine('sqlite', 'a migration', (makeDatabase) => {
  test('a migration does not start if the disk has too little free space', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    await revertSchema(here.env.DATABASE_URL)
    const { bavail, bsize } = statfsSync(here.cwd)
    // Makes the file sparse, and larger than the free space. SQLite ignores pages beyond the number in its header.
    truncateSync(here.database, (Math.ceil((bavail * bsize) / 65_536) + 1000) * 65_536)
    for (const command of ['migrate', 'serve']) await here.refuses('of free disk space, but', command)
    const { schema } = await diagnose({ engine: 'sqlite', path: here.database }, false)
    expect(schema).toBe(OLD_SCHEMA.sqlite)
  })
})

test('docs/upgrade.md and CHANGELOG.md name the schema numbers of this version', () => {
  const read = (name: string) => readFileSync(join(import.meta.dir, '../../../..', name), 'utf8')
  const page = read('docs/upgrade.md')
  const rows = [...page.matchAll(/^\| \S+ +\| (\d+) +\| (\d+) +\|$/gm)].map(([, ...schemas]) =>
    schemas.map(Number),
  )
  expect(rows.at(-1)).toEqual([SQLITE_SCHEMA, POSTGRES_SCHEMA])
  const messages = [...page.matchAll(/version needs (\d+)|newer passportd \(schema (\d+)/g)]
  expect(messages.map(([, needed, newer]) => Number(needed ?? newer))).toEqual(Array(3).fill(SQLITE_SCHEMA))
  expect(read('CHANGELOG.md')).toContain(`(SQLite ${SQLITE_SCHEMA}, PostgreSQL ${POSTGRES_SCHEMA})`)
})

withEveryEngine('an empty database', (makeDatabase) => {
  test('the keys commands refuse an empty database until import has created its tables', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    expect((await here.call('keys', 'list')).code).toBe(1)
    await here.refuses('"serve"', 'keys', 'create', '--name', 'a')
    expect((await here.call('import', '/dev/null')).code).toBe(0)
    expect((await here.call('keys', 'create', '--name', 'a')).code).toBe(0)
  })
})

// These tests run concurrently, because they mostly wait.
withEveryEngine('a node whose database a newer version has migrated', (makeDatabase, engine) => {
  test.concurrent('after a newer version has migrated the database, a node still serves, stores usage counts, and logs a warning', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    await using server = await here.serve()
    const log = readLines(server.child.stderr)
    const get = async () => (await fetch(`${server.url}/api/v1/passports/1`)).status
    expect(await get()).toBe(200)
    await execute(here.env.DATABASE_URL, setSchema(engine, SCHEMA[engine] + 1))
    await until(() => log.some((line) => line.includes('was migrated by a newer passportd')))
    expect(await get()).toBe(200)
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(log.filter((line) => line.includes('lost'))).toEqual([])
    expect(log.filter((line) => line.includes('newer passportd'))).toHaveLength(1)
    await execute(here.env.DATABASE_URL, setSchema(engine, SCHEMA[engine]))
    const counts = await here.look((store) =>
      store.data(USAGE).list({ since: '2000-01-01', until: '2999-01-01' }),
    )
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  })
})

test.concurrent('postgres: a failed check for a newer schema is logged once', async () => {
  await using here = await workplace(databaseMaker('postgres'))
  await using server = await here.serve()
  const log = readLines(server.child.stderr)
  const logged = (text: string) => log.filter((line) => line.includes(text)).length
  await using sql = connect(here.env.DATABASE_URL)
  await sql.unsafe(`create sequence checks; alter table passportd rename to kept;
    create view passportd as select 1 / (0 * nextval('checks')) as version`)
  await until(async () => (await sql`select from checks where last_value > 1`).length > 0)
  await sql.unsafe('drop view passportd; alter table kept rename to passportd')
  await until(() => logged('No longer: The schema of the database cannot be checked.') > 0)
  expect(logged('cannot be checked: PostgresError: division by zero')).toBe(1)
})

test.concurrent('postgres: a migration may take longer than the statement timeout', async () => {
  await using database = await testDatabase()
  await (await openPostgres(database)).database.close()
  await revertSchema(database.url)
  await using sql = connect(database.url)
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // This transaction holds the lock, like another node that migrates. The tested node waits for it in one statement.
  const blocking = sql.begin(async (transaction) => {
    await lock((text, values = []) => transaction.unsafe(text, [...values]), MIGRATE)
    held.resolve()
    await release.promise
  })
  await held.promise
  await using watcher = connect(database.url)
  const migrating = openPostgres(database, { longStatement: 1000 })
  await until(async () => {
    const waiting = await watcher.unsafe(`select 1 from pg_stat_activity where application_name = 'passportd'
      and datname = current_database() and wait_event_type = 'Lock' and now() - query_start > interval '1500 ms'`)
    return waiting.length > 0
  })
  release.resolve()
  await blocking
  await using store = await migrating
  expect(await store.data(RULE_SETS).list()).toEqual([])
})
