import type { Store } from '../store.ts'
import { listColumn, type Query } from './connection.ts'

/** The setting with the id of the database. */
const IDENTITY = 'database_id'

/** The setting with the retirement plan. */
const RETIREMENT = 'retirement'

/** The setting that names the source of a copy. It is not copied itself. */
export const COPYING = 'copying'

async function getSetting(query: Query, name: string): Promise<string | undefined> {
  return (await listColumn<string>(query, 'select value from settings where name = $1', [name]))[0]
}

/** `undefined` removes the setting. */
export async function setSetting(query: Query, name: string, value: string | undefined): Promise<void> {
  if (value === undefined) return void (await query('delete from settings where name = $1', [name]))
  await query(
    'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  )
}

export function createSettingStores(
  read: Query,
  write: Query,
): Pick<Store, 'retirement' | 'identity' | 'copying'> {
  return {
    retirement: {
      async find() {
        const text = await getSetting(read, RETIREMENT)
        return text === undefined ? undefined : JSON.parse(text)
      },
      save: (plan) => setSetting(write, RETIREMENT, JSON.stringify(plan)),
    },
    identity: {
      find: () => getSetting(read, IDENTITY),
      async create(id) {
        const insert = `insert into settings (name, value) values ($1, $2)
          on conflict (name) do update set value = settings.value returning value`
        return (await listColumn<string>(write, insert, [IDENTITY, id]))[0] ?? id
      },
    },
    copying: {
      find: () => getSetting(read, COPYING),
      note: (text) => setSetting(write, COPYING, text),
    },
  }
}
