import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { foldName } from '../../src/domain/name.ts'
import { DATA_FOLDER } from '../data-set.ts'

/**
 * A keyword as plain SQL: `like` on folded names, in the order of the list, and how many match. The names have a narrow
 * index of their own, and rows of passports are not read: kinder than the usual.
 */
export function openLike(path: string, passports: number) {
  const database = new Database(namesOf(path, passports), { readonly: true })
  database.run('pragma case_sensitive_like = on')
  const page = database.query(
    "select id from names where name like ? escape '!' order by score desc, id limit 25",
  )
  const count = database.query("select count(*) from names where name like ? escape '!'")
  return {
    /** Milliseconds. */
    time(keyword: string): number {
      const pattern = `%${keyword.replace(/[!%_]/g, '!$&')}%`
      const begin = performance.now()
      page.all(pattern)
      count.get(pattern)
      return performance.now() - begin
    },
    [Symbol.dispose]: () => database.close(),
  }
}

export type Like = ReturnType<typeof openLike>

function namesOf(path: string, passports: number): string {
  const names = join(DATA_FOLDER, `names-${passports}.db`)
  if (existsSync(names)) return names
  const unfinished = `${names}.unfinished`
  rmSync(unfinished, { force: true })
  using source = new Database(path, { readonly: true })
  using target = new Database(unfinished)
  target.run('create table names (id integer primary key, score real not null, name text not null) strict')
  const insert = target.query('insert into names values (?, ?, ?)')
  const rows = source.query<{ id: number; score: number; display_name: string }, []>(
    'select id, score, display_name from passports where merged_into is null',
  )
  target.transaction(() => {
    for (const { id, score, display_name } of rows.iterate()) insert.run(id, score, foldName(display_name))
  })()
  target.run('create index names_by_rank on names (score desc, id, name)')
  target.close()
  renameSync(unfinished, names)
  return names
}
