import { expect, test } from 'bun:test'
import { serveProcess } from '../support/cli.ts'
import { connect, openAndClose } from '../support/postgres/connect.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { readLines, until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a failed check for a newer schema is logged once', async () => {
  await using database = await testDatabase()
  await openAndClose(database.url)
  using folder = tempFolder()
  await using node = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: database.url } })
  const log = readLines(node.child.stderr)
  await using sql = connect(database.url)
  await sql`alter table passportd rename column version to schema`
  const failures = () =>
    log.filter((line) => line.includes('"The schema of the database cannot be checked: '))
  await until(() => failures().length > 0)
  expect(failures()[0]).toContain('PostgresError: column')
  await sql`alter table passportd rename column schema to version`
  await until(() => log.some((line) => line.includes('No longer: The schema of the database')))
  expect(failures()).toHaveLength(1)
}, 120_000)
