import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lock, MIGRATE } from '../../../../src/core/store/database/postgres/database.ts'
import { COMMAND } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { dumpKept, dumpOf, oldPlace } from '../../../support/migrations/old-databases.ts'
import { change, connect } from '../../../support/postgres/connection-urls.ts'
import { withEngine } from '../../../support/store/engines.ts'
import { execute } from '../../../support/store/execute-sql.ts'
import { openPostgres, RULE_SETS } from '../../../support/store/open.ts'
import { until } from '../../../support/wait-until.ts'

const PAGE = join(import.meta.dir, '../../../../docs/upgrade.md')
const KEPT_FILES = ['test.db', 'test.db.before-22']

withEngine('sqlite', 'a migration', (makeDatabase) => {
  test('a migration does not start if the disk has too little free space', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    const { bavail, bsize } = statfsSync(here.cwd)
    const pages = Math.ceil((bavail * bsize) / 4096) + 1_000_000
    // A sparse file that is larger than the free space; its header has the number of pages.
    truncateSync(here.database, pages * 4096)
    const file = openSync(here.database, 'r+')
    writeSync(file, new Uint8Array([pages >>> 24, pages >>> 16, pages >>> 8, pages]), 0, 4, 28)
    closeSync(file)
    for (const command of ['migrate', 'serve']) await here.refuses('of free disk space, but', command)
    expect(readdirSync(dirname(here.database))).toEqual([basename(here.database)])
  })

  test('a migration that cannot write the new file leaves the old database', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite', 20)
    const before = await dumpOf(here.env.DATABASE_URL)
    // Files of at most 100 blocks of 512 bytes can be written, as if the disk were full.
    const limited = ['sh', '-c', 'ulimit -S -f 100 && exec "$@"', 'sh', ...COMMAND, 'migrate']
    const child = Bun.spawn(limited, { env: { ...process.env, ...here.env }, stderr: 'pipe' })
    expect(await new Response(child.stderr).text()).toContain(
      `passportd: ${here.database}.migrating cannot be`,
    )
    expect(await child.exited).toBe(1)
    expect(readdirSync(dirname(here.database))).toEqual([basename(here.database)])
    expect(await dumpOf(here.env.DATABASE_URL)).toBe(before)
    expect(await here.call('migrate')).toMatchObject({ code: 0 })
  })

  test('the new file has the permissions of the old one', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    chmodSync(here.database, 0o640)
    await here.call('migrate')
    for (const file of KEPT_FILES)
      expect(statSync(join(dirname(here.database), file)).mode & 0o777).toBe(0o640)
  })

  test('a database in use is not migrated', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    using user = new Database(here.database)
    user.run('pragma journal_mode = wal')
    user.run('create table used (one)')
    await here.refuses('is in use: stop the service and every other process', 'migrate')
    expect(readdirSync(dirname(here.database)).filter((name) => /migrating|before/.test(name))).toEqual([])
  })

  test('the WAL of a killed process is part of the migrated database and of the kept file', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    const script = `const d = new (require('bun:sqlite').Database)(process.argv[1])
      d.run('pragma journal_mode = wal')
      d.run("update settings set value = 'from the WAL' where name = 'database_id'")
      process.kill(process.pid, 'SIGKILL')`
    await execute(
      here.env.DATABASE_URL,
      "insert into settings values ('database_id', '') on conflict do nothing",
    )
    await Bun.spawn([process.execPath, '-e', script, here.database]).exited
    expect(existsSync(`${here.database}-wal`)).toBe(true)
    await here.call('migrate')
    for (const dump of [dumpOf, dumpKept]) expect(await dump(here.env.DATABASE_URL)).toContain('from the WAL')
  })

  test('two processes migrate a database once', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite', 20)
    const ended = await Promise.all([here.run('migrate'), here.run('migrate')])
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(readdirSync(dirname(here.database)).sort()).toEqual(KEPT_FILES)
  })

  test('the way back: the kept file is restored', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    await here.call('migrate')
    const before = await here.export()
    await here.call('remove', '7', '--yes')
    expect((await here.call('doctor', '--erasure')).out).toContain(`${here.database}.before-22 is older than`)
    expect(await here.call('restore', `${here.database}.before-22`, '--force')).toMatchObject({ code: 0 })
    expect((await here.call('migrate')).err).toContain('already')
    expect(before).toContain('"passport_id":7')
  })
})

withEngine('postgres', 'a migration', (makeDatabase) => {
  test('the way back: docs/upgrade.md has SQL that moves the old tables back, and SQL that drops them', async () => {
    await using here = await oldPlace(makeDatabase, 'postgres')
    const url = here.env.DATABASE_URL
    const before = await dumpOf(url)
    const [back = '', forget = ''] = [...readFileSync(PAGE, 'utf8').matchAll(/```sql\n([^`]+)```/g)].map(
      ([, sql]) => sql,
    )
    await here.call('migrate')
    await execute(url, back)
    expect(await dumpOf(url)).toBe(before)
    expect(await dumpKept(url)).toBe('')
    expect(await here.call('migrate')).toMatchObject({ code: 0 })
    expect(await dumpKept(url)).toBe(before)
    await here.call('remove', '7', '--yes')
    expect((await here.call('doctor', '--erasure')).out).toContain(
      'The schema public_before_22 has the tables',
    )
    await execute(url, forget)
    expect((await here.call('doctor', '--erasure')).out).not.toContain('public_before_22')
    expect(await dumpKept(url)).toBe('')
    expect((await here.call('rules', 'list')).code).toBe(0)
  })

  test('a role that may not create a schema is told so', async () => {
    await using here = await oldPlace(makeDatabase, 'postgres')
    await execute(
      here.env.DATABASE_URL,
      `create role migrator login password 'x'; grant all on schema public to migrator;
       grant select on all tables in schema public to migrator`,
    )
    const url = change(here.env.DATABASE_URL, (address) => {
      address.username = 'migrator'
      address.password = 'x'
    })
    const { code, err } = await callHere(['migrate'], { env: { DATABASE_URL: url } })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('grant create on database') })
  })

  test('a migration may take longer than the statement timeout', async () => {
    await using here = await oldPlace(makeDatabase, 'postgres')
    const database = { url: here.env.DATABASE_URL }
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
      const waiting =
        await watcher.unsafe(`select 1 from pg_stat_activity where application_name = 'passportd'
        and datname = current_database() and wait_event_type = 'Lock' and now() - query_start > interval '1500 ms'`)
      return waiting.length > 0
    })
    release.resolve()
    await blocking
    await using store = await migrating
    expect(await store.data(RULE_SETS).list()).toHaveLength(2)
  })
})
