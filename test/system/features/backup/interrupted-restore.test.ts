import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { workplace } from '../../../support/cli-sandbox.ts'
import { type MakeDatabase, withEngine } from '../../../support/store/engines.ts'
import { ada, PEOPLE } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

/** A database from which a person was removed after a backup. */
async function removedAfterBackup(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, { records: [...PEOPLE, { ...ada, stale: false }] })
  const kept = here.path('kept.db')
  await here.call('backup', kept)
  expect(await here.call('remove', '3', '--yes')).toMatchObject({ code: 0 })
  const copy = `${here.database}.without-removed`
  return {
    ...here,
    kept,
    copy,
    restore: () => here.call('restore', kept, '--force'),
    /** Files beside the database, except databases that a restore has kept. */
    leftovers: () =>
      readdirSync(dirname(here.database)).filter(
        (name) => name.startsWith(`${basename(here.database)}.`) && !name.includes('.before-'),
      ),
    isRemoved: () => here.look(async ({ passports }) => (await passports.find({ id: 3 })) === undefined),
  }
}

withEngine('sqlite', 'restore after a removal', (makeDatabase) => {
  test('works any number of times, also after a refused one, and leaves no file but the old databases', async () => {
    await using here = await removedAfterBackup(makeDatabase)
    for (let times = 0; times < 3; times++) {
      expect(await here.restore()).toMatchObject({ code: 0 })
      expect([here.leftovers(), await here.isRemoved()]).toEqual([[], true])
      await using _used = await here.open()
      expect(await here.restore()).toMatchObject({ code: 1, err: expect.stringContaining(' is in use: ') })
      expect(here.leftovers()).toEqual([])
    }
  })

  test('works after it was killed, and then leaves no file', async () => {
    await using here = await removedAfterBackup(makeDatabase)
    for (const file of [`${here.copy}.part`, here.copy, `${here.copy}-wal`, `${here.database}.restoring`]) {
      const child = here.start('restore', 'kept.db', '--force')
      await until(() => existsSync(file) || child.exitCode !== null)
      child.kill('SIGKILL')
      await child.exited
      expect(await here.isRemoved()).toBe(true)
    }
    expect(await here.restore()).toMatchObject({ code: 0 })
    expect([here.leftovers(), await here.isRemoved()]).toEqual([[], true])
  })

  test('doctor and doctor --erasure name the files of a killed one, and the next one removes them', async () => {
    await using here = await removedAfterBackup(makeDatabase)
    const files = [`${here.database}.restoring`, here.copy, `${here.copy}.part`].flatMap((file) =>
      ['', '-wal', '-shm', '-journal'].map((end) => file + end),
    )
    for (const file of files) copyFileSync(here.kept, file)
    const sentences = files.map((file) => `${file} was left by an interrupted restore, backup or migration`)
    for (const options of [['--erasure'], []]) {
      const { out, err, code } = await here.call('doctor', ...options)
      for (const sentence of sentences) expect(out).toContain(sentence)
      expect([code, err]).toEqual([0, '0 problems, 12 warnings.\n'])
    }
    expect(await here.restore()).toMatchObject({ code: 0 })
    expect([here.leftovers(), await here.isRemoved()]).toEqual([[], true])
    expect((await here.call('doctor', '--erasure')).out).not.toContain('interrupted')
  })

  test('refuses to back up to a file that a restore removes', async () => {
    await using here = await removedAfterBackup(makeDatabase)
    for (const file of [`${here.copy}.part`, `${here.copy}-wal`, here.copy, `${here.database}.restoring-wal`])
      await here.refuses('belongs to the database', 'backup', file)
  })
})
