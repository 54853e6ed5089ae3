import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCHEMA } from '../../../../src/core/store/schema.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { USAGE } from '../../../support/features/keys.ts'
import { readLines } from '../../../support/log-lines.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { databaseMaker, withEveryEngine } from '../../../support/store/engines.ts'
import { execute, setSchema } from '../../../support/store/execute-sql.ts'
import { record } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

test('docs/upgrade.md and CHANGELOG.md name the schema numbers of this version', () => {
  const read = (name: string) => readFileSync(join(import.meta.dir, '../../../..', name), 'utf8')
  const page = read('docs/upgrade.md')
  const rows = [...page.matchAll(/^\| \S+ +\| (\d+) +\| (\d+) +\|$/gm)].map(([, ...schemas]) =>
    schemas.map(Number),
  )
  expect(rows.at(-1)).toEqual([SCHEMA, SCHEMA])
  const messages = [...page.matchAll(/version needs (\d+)|newer passportd \(schema (\d+)/g)]
  expect(messages.map(([, needed, newer]) => Number(needed ?? newer))).toEqual(Array(3).fill(SCHEMA))
  expect(read('CHANGELOG.md')).toContain(`(SQLite ${SCHEMA}, PostgreSQL ${SCHEMA})`)
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
    const get = async () => (await fetch(`${server.url}/api/v3/passports/1`)).status
    expect(await get()).toBe(200)
    await execute(here.env.DATABASE_URL, setSchema(engine, SCHEMA + 1))
    await until(() => log.some((line) => line.includes('was migrated by a newer passportd')))
    expect(await get()).toBe(200)
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(log.filter((line) => line.includes('lost'))).toEqual([])
    expect(log.filter((line) => line.includes('newer passportd'))).toHaveLength(1)
    await execute(here.env.DATABASE_URL, setSchema(engine, SCHEMA))
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
