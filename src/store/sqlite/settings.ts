import type { Database } from 'bun:sqlite'

/** Single values that all processes share. */
export function createSettings(writer: Database) {
  const get = writer.query<{ value: string }, [string]>('select value from settings where name = ?')
  const set = writer.query('insert or replace into settings (name, value) values (?, ?)')
  const remove = writer.query('delete from settings where name = ?')
  return {
    get: (name: string) => get.get(name)?.value,
    set: (name: string, value: string) => void set.run(name, value),
    remove: (name: string) => void remove.run(name),
  }
}
