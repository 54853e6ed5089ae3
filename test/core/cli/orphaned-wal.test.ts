import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_COMMANDS } from '../../support/cli.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { openSqlite } from '../../support/store/open.ts'
import { PEOPLE } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A database whose process was killed with changes in its WAL, and a backup of it. */
async function withWal(folder: string) {
  const source = join(folder, 'source.db')
  const path = join(folder, 'lost.db')
  const store = await openSqlite(source)
  await saveRecords(store, PEOPLE)
  for (const end of ['', '-wal']) copyFileSync(source + end, path + end)
  await store.database.close()
  return { path, wal: readFileSync(`${path}-wal`), backup: source }
}

const empty = (path: string): void => truncateSync(path, 0)

test.each([
  ['an empty', empty],
  ['a missing', rmSync],
])(
  '%s database file next to a WAL is refused by every command except restore, which keeps the WAL',
  async (_, lose) => {
    using folder = tempFolder()
    const { path, wal, backup } = await withWal(folder.path)
    lose(path)
    const wasThere = existsSync(path)
    const env = { DATABASE_URL: `sqlite:${path}`, PORT: '0' }
    for (const args of [...DATABASE_COMMANDS, ['backup', '/nowhere/b.db'], ['serve']]) {
      const { code, err } = await callHere(args, { env })
      const expected = expect.stringContaining(`${path} is empty or missing, but ${path}-wal holds`)
      expect({ args, code, err }).toEqual({ args, code: 1, err: expected })
      expect(readFileSync(`${path}-wal`).equals(wal)).toBe(true)
      expect(existsSync(path)).toBe(wasThere)
    }
    const { code, out } = await callHere(['doctor'], { env })
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/problem +database .* is empty or missing, but .*-wal holds .*restore/),
    })
    expect(readFileSync(`${path}-wal`).equals(wal)).toBe(true)

    const restored = await callHere(['restore', backup], { env })
    expect({ ...restored }).toMatchObject({ code: 0, out: expect.stringContaining('4 passports') })
    const kept = /kept as (\S+-wal)/.exec(restored.out)?.[1] ?? ''
    expect(readFileSync(kept).equals(wal)).toBe(true)
  },
)
