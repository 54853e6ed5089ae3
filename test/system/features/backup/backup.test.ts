import { expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { COMMAND } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { withEngine } from '../../../support/store/engines.ts'
import { INVENTED } from '../../../support/store/json-lines.ts'
import { ada, named, PEOPLE } from '../../../support/store/records.ts'

withEngine('sqlite', 'backup', (makeDatabase) => {
  test('a backup of a running service is complete, checked, and readable by its owner only', async () => {
    await using here = await workplace(makeDatabase, { records: [...PEOPLE, { ...ada, stale: false }] })
    await using _server = await here.listen()
    const { code, out } = await here.run('backup', 'kept.db')
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^\S+ is backed up to kept\.db: 4 passports, [\d.]+ kB, all checked, in [\d.]+ s\.\n$/,
      ),
    })
    const file = here.path('kept.db')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(here.cwd)).toEqual(['kept.db'])
    await using other = await workplace(makeDatabase, { bare: true })
    copyFileSync(file, other.database)
    expect(await other.export()).toBe(await here.export())
  })

  test('--force replaces an existing file, but only when the new backup is complete', async () => {
    await using here = await workplace(makeDatabase, {
      records: PEOPLE,
      files: { 'kept.db': 'mine', 'kept.db.part': 'half' },
    })
    const { path } = here
    await here.refuses(`${path('kept.db')} exists already: --force replaces it.\n`, 'backup', path('kept.db'))
    expect(await Bun.file(path('kept.db')).text()).toBe('mine')
    expect(await here.call('backup', path('kept.db'), '--force')).toMatchObject({ code: 0 })
    expect(readdirSync(here.cwd)).toEqual(['kept.db'])
    await here.refuses(`${here.cwd} is not a file: choose another name.\n`, 'backup', here.cwd, '--force')
    const nowhere = path('nowhere/kept.db')
    await here.refuses(': no such file or directory (ENOENT).\n', 'backup', nowhere)
    expect(await here.call('backup')).toMatchObject({ code: 2 })
  })

  test.each(['-wal', '-journal'])(
    'backup --force does not replace a database file if its %s file exists',
    async (end) => {
      await using here = await workplace(makeDatabase, {
        records: PEOPLE,
        files: { 'kept.db': 'mine', [`kept.db${end}`]: 'log' },
      })
      expect(await here.callIn('backup', 'kept.db', '--force')).toMatchObject({
        code: 1,
        err: `passportd: Found kept.db${end}: kept.db is in use, or the last process was killed. Choose another file, or move both.\n`,
      })
      expect(await Bun.file(here.path('kept.db')).text()).toBe('mine')
    },
  )

  test('backup never overwrites the files of its own database, even through a link', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    linkSync(here.database, here.path('linked.db'))
    symlinkSync(here.database, here.path('pointed.db'))
    symlinkSync(dirname(here.database), here.path('folder'))
    const before = await here.export()
    const names = ['linked.db', 'pointed.db', 'folder/test.db', here.database]
    const beside = ['-wal', '-shm', '-journal'].map((end) => `folder/test.db${end}`)
    for (const name of [...names, ...beside]) {
      await here.refuses('belongs to the database', 'backup', resolve(here.cwd, name), '--force')
    }
    expect(await here.export()).toBe(before)
  })

  test('a backup that fails on a full disk keeps the old backup, and leaves no partial file', async () => {
    await using here = await workplace(makeDatabase, {
      records: INVENTED.slice(0, 600),
      files: { 'kept.db': 'mine' },
    })
    const { env, cwd } = here
    const limited = (...args: string[]) =>
      Bun.spawnSync(['sh', '-c', 'ulimit -f 2000; exec "$@"', 'sh', ...COMMAND, ...args], {
        cwd,
        env: { ...process.env, ...env },
      })
    const { exitCode, stderr } = limited('backup', 'kept.db', '--force')
    expect({ exitCode, stderr: stderr.toString() }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^passportd: kept\.db\.part .*\.\n$/),
    })
    expect(readdirSync(cwd)).toEqual(['kept.db'])
    expect(await Bun.file(join(cwd, 'kept.db')).text()).toBe('mine')
  })

  test('a damaged, foreign, empty or missing database is not backed up', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    const attempt = async (sentence: string) => {
      await here.refuses(sentence, 'backup', here.path('kept.db'))
      expect(readdirSync(here.cwd)).toEqual([])
    }
    await attempt('There is no database')
    expect(existsSync(here.database)).toBe(false)
    writeFileSync(here.database, '')
    await attempt('is empty')
    writeFileSync(here.database, 'x'.repeat(5000))
    await attempt('is damaged or not a database')
    const many = Array.from({ length: 500 }, (_, at) => named(at + 1, `Person ${at}`, at))
    await using damaged = await workplace(makeDatabase, { records: many })
    const bytes = new Uint8Array(await Bun.file(damaged.database).arrayBuffer())
    bytes.fill(0x55, 3 * 4096, 30 * 4096)
    writeFileSync(damaged.database, bytes)
    await damaged.refuses('is damaged', 'backup', join(damaged.cwd, 'kept.db'))
    expect(readdirSync(damaged.cwd)).toEqual([])
  })
})

withEngine('postgres', 'backup', (makeDatabase) => {
  test('with PostgreSQL, backup and restore are refused and refer to pg_dump', async () => {
    await using here = await workplace(makeDatabase)
    for (const command of ['backup', 'restore']) {
      await here.refuses('pg_dump. See "PostgreSQL" in docs/backup.md', command, 'kept.db')
    }
  })
})
