import type { Store } from '../store.ts'
import { COPYING, IDENTITY, RETIREMENT } from './copy-tables.ts'
import type { Query } from './query.ts'

export const createSettings = (query: Query) => ({
  async get(name: string): Promise<string | undefined> {
    const [row] = await query<{ value: string }>('select value from settings where name = $1', [name])
    return row?.value
  },
  /** `undefined` removes the setting. */
  async set(name: string, value: string | undefined): Promise<void> {
    if (value === undefined) return void (await query('delete from settings where name = $1', [name]))
    await query(
      'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [name, value],
    )
  },
})

export function createRetirement(read: Query, write: Query): Store['retirement'] {
  return {
    async find() {
      const text = await createSettings(read).get(RETIREMENT)
      return text === undefined ? undefined : JSON.parse(text)
    },
    save: (plan) => createSettings(write).set(RETIREMENT, JSON.stringify(plan)),
  }
}

export function createIdentity(read: Query, write: Query): Store['identity'] {
  return {
    find: () => createSettings(read).get(IDENTITY),
    create: async (id) =>
      void (await write('insert into settings (name, value) values ($1, $2) on conflict do nothing', [
        IDENTITY,
        id,
      ])),
  }
}

export function createCopying(read: Query, write: Query): Store['copying'] {
  return {
    find: () => createSettings(read).get(COPYING),
    note: (text) => createSettings(write).set(COPYING, text),
  }
}
