import type { Database } from 'bun:sqlite'
import { handlesOf } from '../../../domain/handle.ts'
import type { OnProgress } from '../../migration-progress.ts'
import { createDataPointReader } from '../credentials-and-points.ts'

const STEP = 1000

/** The part of migration 13 that SQL cannot do: SQLite folds the case of ASCII alone. */
export function storeHandles(database: Database, onProgress: OnProgress): void {
  const dataPoints = createDataPointReader(database)
  const listRows = database.query<{ id: number; socials: string }, [number, number]>(
    'select id, socials from passports where id > ? order by id limit ?',
  )
  const put = database.query<unknown, [string, number]>('insert into handles values (?, ?)')
  const total =
    database.query<{ count: number }, []>('select count(*) as count from passports').get()?.count ?? 0
  let done = 0
  for (let after = -1; ; ) {
    const rows = listRows.all(after, STEP)
    for (const { id, socials } of rows) {
      for (const handle of handlesOf(JSON.parse(socials), dataPoints.list(id))) put.run(handle, id)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    done += rows.length
    onProgress(done, total)
    after = last.id
  }
}
