import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { MUST_EXIST } from '../../../../src/core/cli/open-store.ts'
import { exportAll, workplace } from '../../../support/cli-sandbox.ts'
import { oldPlace } from '../../../support/migrations/old-databases.ts'
import { type MakeDatabase, saveRecords, withEngine } from '../../../support/store/engines.ts'
import { openStore } from '../../../support/store/open.ts'
import { ada, named, PEOPLE } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

/** A passport that no scorer changes. */
const calm = { ...ada, stale: false }

/** A database that changed after its backup. */
async function backedUp(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, { records: [...PEOPLE, calm] })
  const kept = here.path('kept.db')
  await here.call('backup', kept)
  const before = await here.export()
  await here.look((store) => saveRecords(store, [named(3, 'Grace the Later', 50), named(5, 'New', 1)]))
  const after = await here.export()
  expect(after).not.toBe(before)
  return { ...here, kept, before, after }
}

/** Changes the database, and leaves its files as a killed process would. Returns an export. */
async function changeAndCrash(here: Awaited<ReturnType<typeof workplace>>): Promise<string> {
  const files = ['', '-wal'].map((end) => here.database + end)
  const exported = await here.look(async (store) => {
    await saveRecords(store, [named(6, 'Last', 2)])
    for (const file of files) copyFileSync(file, `${file}.copy`)
    return exportAll(store)
  })
  for (const file of files) renameSync(`${file}.copy`, file)
  return exported
}

const keptIn = (out: string) => /kept as (\S+)\.$/m.exec(out)?.[1] as string
async function exportKept(out: string): Promise<string> {
  await using store = await openStore({ engine: 'sqlite', path: keptIn(out) }, MUST_EXIST)
  return await exportAll(store)
}

const beside = (database: string) =>
  readdirSync(dirname(database)).filter((name) => name !== basename(database))

withEngine('sqlite', 'restore', (makeDatabase) => {
  test('restore creates a database with the contents of the backup', async () => {
    await using from = await backedUp(makeDatabase)
    await using here = await workplace(makeDatabase, { bare: true })
    const { code, out } = await here.call('restore', from.kept)
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^\S+ is restored from \S+kept\.db: 4 passports, [\d.]+ kB, all checked, in [\d.]+ s\.\n$/,
      ),
    })
    expect(await here.export()).toBe(from.before)
  })

  test('a database of an earlier version is backed up, and its backup is restored and migrated, with later removals', async () => {
    await using here = await oldPlace(makeDatabase, 'sqlite')
    const kept = here.path('old.db')
    expect(await here.call('backup', kept)).toMatchObject({ code: 0 })
    expect(await here.call('restore', kept, '--force')).toMatchObject({ code: 0 })
    // The command `usage` refuses a database that was not migrated.
    expect(await here.call('usage')).toMatchObject({ code: 0 })
    const before = await here.export()
    await here.call('remove', '7', '--yes')
    const after = await here.export()
    expect(after).not.toBe(before)
    expect(await here.call('restore', kept, '--force')).toMatchObject({ code: 0 })
    expect(await here.export()).toBe(after)
    const names = beside(here.database).filter((name) => !/before-2/.test(name))
    expect(names).toEqual([])
  })

  test('restore needs --force to replace a database that is not empty, and keeps the old database under another name', async () => {
    await using here = await backedUp(makeDatabase)
    await here.refuses('is not empty', 'restore', here.kept)
    expect(await here.export()).toBe(here.after)
    const { code, out } = await here.call('restore', here.kept, '--force')
    expect(code).toBe(0)
    expect(beside(here.database)).toEqual([basename(keptIn(out))])
    expect(await here.export()).toBe(here.before)
    expect(await exportKept(out)).toBe(here.after)
    await using server = await here.listen()
    expect(await (await fetch(`${server.url}/api/v3/passports/3`)).text()).toContain('Grace Hopper')
  })

  test('a database in use is never replaced, not even with --force', async () => {
    await using here = await backedUp(makeDatabase)
    await using _server = await here.listen()
    const { code, err } = await here.run('restore', 'kept.db', '--force')
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('is in use: stop the service') })
    expect(await here.export()).toBe(here.after)
  })

  test('the WAL of a killed server stays with the old database', async () => {
    await using here = await backedUp(makeDatabase)
    const after = await changeAndCrash(here)
    expect(existsSync(`${here.database}-wal`)).toBe(true)
    const { out } = await here.call('restore', here.kept, '--force')
    expect(await here.export()).toBe(here.before)
    expect(await exportKept(out)).toBe(after)
  })

  test('restore through a symbolic link replaces the file that the link names', async () => {
    await using here = await backedUp(makeDatabase)
    const real = here.path('real.db')
    renameSync(here.database, real)
    symlinkSync(real, here.database)
    const { code, out } = await here.call('restore', here.kept, '--force')
    expect(code).toBe(0)
    expect(keptIn(out)).toStartWith(`${real}.before-`)
    expect(readlinkSync(here.database)).toBe(real)
    expect(await here.export()).toBe(here.before)
  })

  test('restore --force replaces a damaged database, and keeps the damaged file unchanged', async () => {
    await using here = await backedUp(makeDatabase)
    writeFileSync(here.database, 'x'.repeat(9000))
    writeFileSync(`${here.database}-wal`, 'y'.repeat(9000))
    await here.refuses('is damaged: with --force', 'restore', here.kept)
    const { code, out } = await here.call('restore', here.kept, '--force')
    expect(code).toBe(0)
    expect(readFileSync(keptIn(out), 'utf8')).toBe('x'.repeat(9000))
    expect(beside(here.database).filter((name) => /^test\.db-/.test(name))).toEqual([])
    expect(await here.export()).toBe(here.before)
  })

  test('restore refuses a file that is not a valid backup, and changes nothing', async () => {
    await using here = await backedUp(makeDatabase)
    const whole = readFileSync(here.path('kept.db'))
    const write = (name: string, bytes: Uint8Array | string) => writeFileSync(here.path(name), bytes)
    write('text', 'x'.repeat(5000))
    write('empty', '')
    write('short', whole.subarray(0, whole.length / 2))
    write('damaged', Buffer.from(whole).fill(0x55, 8 * 4096, 12 * 4096))
    const change = (name: string, sql: string) => {
      write(name, whole)
      using database = new Database(here.path(name))
      database.run(sql)
    }
    change('older', `pragma user_version = 13`)
    change('newer', 'pragma user_version = 99')
    change('foreign', 'pragma application_id = 7')
    // This damage is found only by comparing the index with its table.
    const at = whole.indexOf('lens:ada')
    write('unindexed', Buffer.from(whole).fill('lens:adb', at, at + 8))
    const sentences = {
      text: 'is damaged, or not a backup',
      empty: 'is empty',
      short: 'short is damaged, or not a backup',
      damaged: 'damaged is damaged, or not a backup',
      older: 'open it once with version 0.2.1',
      newer: 'a newer passportd',
      foreign: 'another program',
      unindexed: 'damaged',
      missing: 'There is no file',
    }
    for (const [name, sentence] of Object.entries(sentences)) {
      await here.refuses(sentence, 'restore', here.path(name), '--force')
    }
    const half = `${here.database}.restoring`
    writeFileSync(half, whole)
    for (const own of [here.database, half]) {
      await here.refuses('belongs to the database', 'restore', own, '--force')
    }
    expect(readFileSync(half)).toEqual(whole)
    rmSync(half)
    expect(beside(here.database).filter((name) => !/-(wal|shm)$/.test(name))).toEqual([])
    expect(await here.export()).toBe(here.after)
  })

  test('a killed restore leaves the complete old database or the complete new one', async () => {
    await using here = await backedUp(makeDatabase)
    const restoring = `${here.database}.restoring`
    const moments = [
      (pid: number) => opens(pid, here.database),
      () => existsSync(restoring),
      () => existsSync(`${restoring}-wal`),
      (pid: number) => opens(pid, `${here.database}-wal`),
    ]
    for (const [kill, isNow] of moments.entries()) {
      const was = await here.export()
      const child = here.start('restore', 'kept.db', '--force')
      await until(() => isNow(child.pid) || child.exitCode !== null)
      child.kill('SIGKILL')
      await child.exited
      expect([was, here.before]).toContain(await here.export())
      await here.look((store) => saveRecords(store, [calm, named(10 + kill, 'One more', 1)]))
    }
    expect(await here.call('restore', here.kept, '--force')).toMatchObject({ code: 0 })
    expect(await here.export()).toBe(here.before)
    expect(existsSync(restoring)).toBe(false)
  })

  test('a process that waits for a restore to end opens the new database', async () => {
    await using here = await backedUp(makeDatabase)
    using lock = new Database(here.database)
    lock.run('pragma journal_mode = delete')
    lock.run('begin exclusive')
    const create = () => here.start('keys', 'create', '--name', 'late')
    const waiting = create()
    await until(() => opens(waiting.pid, here.database) || waiting.exitCode !== null)
    await Bun.write(`${here.database}.new`, readFileSync(here.path('kept.db')))
    linkSync(here.database, `${here.database}.old`)
    renameSync(`${here.database}.new`, here.database)
    lock.run('rollback')
    // On a slow machine, the process sometimes gives up with an error message.
    if ((await waiting.exited) !== 0) {
      expect(await new Response(waiting.stderr).text()).toContain('try again later')
      expect(await create().exited).toBe(0)
    }
    expect((await here.call('keys', 'list')).out).toContain('late')
    await using old = await openStore({ engine: 'sqlite', path: `${here.database}.old` }, MUST_EXIST)
    expect(await old.keys.list()).toEqual([])
  })
})

function opens(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path)
  } catch {
    return false
  }
}
