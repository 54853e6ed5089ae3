import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkContents } from '../../../../src/features/backup/backup.ts'
import { writeDueBackup } from '../../../../src/features/backup/scheduled-backup.ts'
import { run } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { scrape } from '../../../support/http/prometheus.ts'
import { readLines } from '../../../support/log-lines.ts'
import { databaseMaker } from '../../../support/store/engines.ts'
import { ada, NOON, named, PEOPLE } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const HOUR = 3_600_000
const ID = '0f0f0f0f-1111-2222-3333-444444444444'
const copyAt = (hours: number, clock = '00-00') => `passportd-0f0f0f0f-2026-01-02T${12 + hours}-${clock}Z.db`

/** A database with a known id, and a folder for its backups. */
async function scheduled({ keep = 2 } = {}) {
  const here = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
  const folder = here.path('backups')
  return {
    ...here,
    folder,
    runAt: (now: number) => writeDueBackup(here.database, ID, { folder, every: HOUR, keep, now: () => now }),
    files: () =>
      readdirSync(folder)
        .filter((name) => !name.includes('.lock'))
        .sort(),
  }
}

test('a backup is written when one is due, and only the oldest ones are removed', async () => {
  await using here = await scheduled()
  const file = join(here.folder, copyAt(0))
  expect(here.runAt(NOON)).toMatchObject({
    written: { file, passports: PEOPLE.length, removed: 0 },
    newest: NOON,
  })
  expect(here.files()).toEqual([copyAt(0)])
  expect([statSync(here.folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  expect(checkContents(file)).toMatchObject({ passports: PEOPLE.length })
  expect(here.runAt(NOON + HOUR - 1)).toEqual({ written: undefined, newest: NOON })
  expect(here.files()).toEqual([copyAt(0)])
  expect(here.runAt(NOON + HOUR)).toMatchObject({ written: { removed: 0 }, newest: NOON + HOUR })
  expect(here.files()).toEqual([copyAt(0), copyAt(1)])

  const others = [
    'mine.db',
    'passportd-0f0f0f0f-2020-99-99T00-00-00Z.db',
    'passportd-0f0f0f0f-old.db',
    'passportd-aaaaaaaa-2020-01-01T00-00-00Z.db',
  ]
  for (const name of others) writeFileSync(join(here.folder, name), 'mine')
  expect(here.runAt(NOON + 3 * HOUR)).toMatchObject({ written: { removed: 1 }, newest: NOON + 3 * HOUR })
  expect(here.files()).toEqual([...others, copyAt(1), copyAt(3)].sort())
})

test('a backup dated in the future does not stop the schedule, and is removed before backups that were written later', async () => {
  await using here = await scheduled({ keep: 1 })
  here.runAt(NOON + 9 * HOUR)
  here.runAt(NOON)
  expect(here.files()).toEqual([copyAt(0)])
  here.runAt(NOON + HOUR / 2)
  expect(here.files()).toEqual([copyAt(0)])
})

test('while another process writes a backup, no second one is written', async () => {
  await using here = await scheduled()
  here.runAt(NOON)
  const lock = new Database(join(here.folder, 'passportd-0f0f0f0f.lock'))
  lock.run('begin exclusive')
  writeFileSync(join(here.folder, 'passportd-0f0f0f0f.part'), 'of the other process')
  expect(here.runAt(NOON + HOUR)).toEqual({ written: undefined, newest: NOON })
  expect(here.files()).toEqual([copyAt(0), 'passportd-0f0f0f0f.part'])
  lock.close()
  here.runAt(NOON + HOUR)
  expect(here.files()).toEqual([copyAt(0), copyAt(1)])
})

test('a failed backup keeps the old ones, leaves no partial file and is written later', async () => {
  await using here = await scheduled({ keep: 1 })
  here.runAt(NOON)
  // A WAL of an older file with the name of the next backup.
  const wal = join(here.folder, `${copyAt(1)}-wal`)
  writeFileSync(wal, 'log')
  expect(() => here.runAt(NOON + HOUR)).toThrow(`Found ${wal}`)
  expect(here.files()).toEqual([copyAt(0), `${copyAt(1)}-wal`])
  here.runAt(NOON + HOUR + 1000)
  expect(here.files()).toEqual([`${copyAt(1)}-wal`, copyAt(1, '00-01')])
})

test.concurrent('an unusable folder is logged once with the reason, counted in the metrics, and used again when it is back', async () => {
  await using here = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
  const folder = here.path('backups')
  const env = { BACKUP_DIR: folder, BACKUP_EVERY: '1s', METRICS_PORT: '0' }
  await using server = await here.serve([], env)
  const log = readLines(server.child.stderr)
  const metric = async (name: string) => (await scrape(server)).value(`passportd_backup_${name}`) ?? 0
  await until(async () => (await metric('last_success_timestamp_seconds')) > 0)
  renameSync(folder, `${folder}.away`)
  writeFileSync(folder, 'not a folder')
  await until(async () => (await metric('failures_total')) >= 3)
  const last = await metric('last_success_timestamp_seconds')
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  rmSync(folder)
  renameSync(`${folder}.away`, folder)
  await until(async () => (await metric('last_success_timestamp_seconds')) > last)
  await until(() => log.some((line) => line.includes('No longer: The scheduled backup failed.')))
  const entries = log.map((line) => JSON.parse(line))
  expect(entries.map(({ message }) => message)).toContain(
    `Every 1 s a backup is written to ${folder}. The last 7 are kept.`,
  )
  const errors = entries.filter(({ message }) => message.includes('cannot be created'))
  expect(errors).toMatchObject([
    {
      message: `The scheduled backup failed: The folder ${folder} (BACKUP_DIR) cannot be created: EEXIST: file already exists, mkdir '${folder}'`,
    },
  ])
})

test.concurrent.each([
  ['SIGKILL', 137],
  ['SIGTERM', 0],
] as const)(
  '%s during a backup ends the process and leaves a partial file, which the next start removes, and the next backup can be restored',
  async (signal, code) => {
    await using here = await workplace(databaseMaker('sqlite'), {
      records: [...PEOPLE, { ...ada, stale: false }],
    })
    const before = await here.export()
    addFiller(here.database)
    const folder = here.path('backups')
    const env = { BACKUP_DIR: folder }
    const namesOf = (end: string) => (existsSync(folder) ? [...new Bun.Glob(`*${end}`).scanSync(folder)] : [])
    // A backup that was complete before the kill is discarded.
    while (namesOf('.part').length === 0) {
      rmSync(folder, { recursive: true, force: true })
      await using server = await here.serve([], env)
      await until(() => namesOf('.part').length > 0 || namesOf('.db').length > 0)
      server.child.kill(signal)
      expect(await server.child.exited).toBe(code)
    }
    expect(namesOf('.db')).toEqual([])
    {
      await using _server = await here.serve([], env)
      await until(() => namesOf('.db').length === 1)
    }
    expect([namesOf('.part'), namesOf('-journal')]).toEqual([[], []])
    const file = join(folder, namesOf('.db')[0] ?? '')
    expect(await here.call('merge', '12', '7')).toMatchObject({ code: 0 })
    expect(await here.call('restore', file, '--force')).toMatchObject({ code: 0 })
    expect(await here.export()).toBe(before)
  },
)

/** Makes the database so large that a backup is not complete at once. */
function addFiller(path: string): void {
  using database = new Database(path)
  database.run('create table filler (bytes blob)')
  database.run(
    'with recursive n(i) as (values (1) union all select i + 1 from n where i < 30) insert into filler select randomblob(1000000) from n',
  )
}

test.concurrent('serve refuses to start if BACKUP_DIR cannot be created', async () => {
  await using here = await workplace(databaseMaker('sqlite'), {
    records: [named(1, 'Ada')],
    files: { file: '' },
  })
  const env = { ...here.env, PORT: '0', BACKUP_DIR: here.path('file/backups') }
  expect(await run(['serve'], { env, cwd: here.cwd })).toMatchObject({
    err: expect.stringContaining(
      `passportd: The folder ${env.BACKUP_DIR} (BACKUP_DIR) cannot be created: ENOTDIR`,
    ),
    code: 1,
  })
})
