import type { Database } from 'bun:sqlite'

/** Returns the bytes that an event and its index entries take. Deletes the events and closes the database. */
export function bytesPerEvent(database: Database): number {
  const sizeOf = () => {
    database.run('vacuum')
    const row = database
      .query<{ bytes: number }, []>(
        'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
      )
      .get()
    return row?.bytes ?? 0
  }
  const count =
    database.query<{ count: number }, []>('select count(*) as count from events').get()?.count ?? 0
  const before = sizeOf()
  database.run('delete from events')
  const after = sizeOf()
  database.close()
  return (before - after) / count
}
