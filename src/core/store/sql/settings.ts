import { defineData } from '../data.ts'
import { listColumn, type Query } from './connection.ts'

/** The setting that names the source of a copy. It is not copied itself. */
export const COPYING = 'copying'

export async function getSetting(query: Query, name: string): Promise<string | undefined> {
  return (await listColumn<string>(query, 'select value from settings where name = $1', [name]))[0]
}

/** `undefined` removes the setting. */
export async function setSetting(query: Query, name: string, value: string | undefined): Promise<void> {
  if (value === undefined) await query('delete from settings where name = $1', [name])
  else await query(`${INSERT} on conflict (name) do update set value = excluded.value`, [name, value])
}

const INSERT = 'insert into settings (name, value) values ($1, $2)'

const DATABASE_ID = 'database_id'

/** A random id of the database; backups of the file have the same one. */
export const IDENTITY = defineData({
  name: 'identity',
  open: ({ read, write }) => ({
    find: () => getSetting(read.query, DATABASE_ID),
    /** Returns the id of the database, which is another one if it already has an id. */
    async create(id: string): Promise<string> {
      const insert = `${INSERT} on conflict (name) do update set value = settings.value returning value`
      return (await listColumn<string>(write, insert, [DATABASE_ID, id]))[0] ?? id
    },
  }),
})

export const COPY_NOTE = defineData({
  name: 'copy-note',
  open: ({ read, write }) => ({
    /** Finds what `save` has stored about the last copy into this store. */
    find: () => getSetting(read.query, COPYING),
    save: (text: string) => setSetting(write, COPYING, text),
  }),
})
