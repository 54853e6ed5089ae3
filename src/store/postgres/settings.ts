import { RETIREMENT } from '../copy-tables.ts'
import type { Store } from '../store.ts'
import type { Query } from './connection/query.ts'

/** Single values that all processes share. */
export const createSettings = (query: Query) => ({
  async get(name: string): Promise<string | undefined> {
    const [row] = await query<{ value: string }>('select value from settings where name = $1', [name])
    return row?.value
  },
  async set(name: string, value: string): Promise<void> {
    await query(
      'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [name, value],
    )
  },
  async remove(name: string): Promise<void> {
    await query('delete from settings where name = $1', [name])
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
