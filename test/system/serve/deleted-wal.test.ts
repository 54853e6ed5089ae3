import { expect, test } from 'bun:test'
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../src/core/store/store.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { USAGE } from '../../support/features/keys.ts'
import { readLines } from '../../support/log-lines.ts'
import { FileFaultError } from '../../support/program/errors.ts'
import { saveRecords, withEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { COPY_NOTE, openSqlite } from '../../support/store/open.ts'
import { NOON, named, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

type Lose = (path: string) => void
const remove =
  (...ends: string[]): Lose =>
  (path) => {
    for (const end of ends) rmSync(path + end)
  }

const LOSSES: [what: string, lose: Lose][] = [
  ['the WAL is deleted', remove('-wal')],
  ['the WAL and its index are deleted', remove('-wal', '-shm')],
  ['all files are deleted', remove('', '-wal', '-shm')],
  [
    'the WAL is replaced',
    (path) => {
      rmSync(`${path}-wal`)
      writeFileSync(`${path}-wal`, '')
    },
  ],
  [
    'the database is replaced',
    (path) => {
      renameSync(path, `${path}.old`)
      writeFileSync(path, 'other')
    },
  ],
]

const WRITES: ((store: Store) => unknown)[] = [
  (store) => saveRecords(store, [named(2, 'Lost')]),
  (store) => store.passports.remove(1, NOON),
  (store) => store.scoring.markAll(),
  (store) => store.data(USAGE).add([], new Map()),
  (store) => store.data(COPY_NOTE).save('a copy'),
]

async function faultOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work()
  } catch (error) {
    if (error instanceof FileFaultError) return error.fault
    throw error
  }
}

test.each(LOSSES)('if %s, every write is refused, and the store is not ready', async (_, lose) => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  await saveRecords(store, [record(1)])
  expect(await store.database.ping()).toMatchObject({ writes: true })
  lose(path)
  for (const work of [...WRITES, () => store.database.ping()])
    expect(await faultOf(() => work(store))).toBe('replaced')
  expect(await store.passports.find({ id: 1 })).toMatchObject({ id: 1 })
})

test('a transaction fails if the WAL is deleted while it runs', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  await saveRecords(store, [record(1, { stale: true })])
  const score = () => {
    rmSync(`${path}-wal`)
    return { scores: { total: 9, activity: 0, identity: 0, skills: 9 }, human: false, credentials: [] }
  }
  const job = { rules: 'r', now: NOON, score, onFailure: () => undefined }
  expect(await faultOf(() => store.scoring.work(1, job))).toBe('replaced')
})

test('when a deleted WAL is detected, its changes are written to the database file', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  await saveRecords(store, [named(1, 'Only in the WAL')])
  rmSync(`${path}-wal`)
  expect(await faultOf(() => store.database.ping())).toBe('replaced')
  // Copies only the database file, as if the process had been killed.
  const copy = join(folder.path, 'copy.db')
  writeFileSync(copy, await Bun.file(path).bytes())
  await using saved = await openSqlite(copy)
  expect(await saved.passports.find({ id: 1 })).toMatchObject({ profile: { displayName: 'Only in the WAL' } })
})

test('a database that is opened through a symbolic link uses the WAL beside the target of the link', async () => {
  using folder = tempFolder()
  const [path, link] = [join(folder.path, 'x.db'), join(folder.path, 'link.db')]
  await (await openSqlite(path)).database.close()
  symlinkSync(path, link)
  await using one = await openSqlite(link)
  await using other = await openSqlite(path)
  await saveRecords(one, [record(1)])
  await saveRecords(other, [record(2)])
  expect(await one.passports.count()).toBe(2)
  rmSync(`${path}-wal`)
  expect(await faultOf(() => one.database.ping())).toBe('replaced')
})

withEngine('sqlite', 'a WAL that is deleted under a running service', (makeDatabase) => {
  test('/ready, the log, doctor and every command report a WAL that is deleted under a running service, and no change is lost', async () => {
    const files = { 'more.jsonl': toLines({ passport_id: 2 }) }
    await using here = await workplace(makeDatabase, { records: [record(1)], files })
    await using service = await here.serve()
    const log = readLines(service.child.stderr)
    expect((await here.call('keys', 'create', '--name', 'kept')).code).toBe(0)
    for (const end of ['-wal', '-shm']) rmSync(here.database + end)

    const ready = await fetch(`${service.url}/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      code: 'not_ready',
      error:
        'The database file or its WAL was deleted or replaced under the service: the log has the details.',
    })
    await until(() => log.some((line) => line.includes('-wal was deleted or replaced')))
    await here.refuses('-wal is missing', 'import', join(here.cwd, 'more.jsonl'))
    await here.refuses('-wal is missing', 'backup', join(here.cwd, 'backup.db'))
    const { code, out } = await here.call('doctor', '--full')
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/problem +database .*-wal is missing/),
    })
    expect(existsSync(`${here.database}-wal`)).toBe(false)
    service.child.kill('SIGTERM')
    expect(await service.child.exited).toBe(0)
    expect((await here.call('doctor', '--full')).code).toBe(0)
    expect((await here.call('keys', 'list')).out).toContain('kept')
    expect((await here.call('import', join(here.cwd, 'more.jsonl'))).code).toBe(0)
  })
})
