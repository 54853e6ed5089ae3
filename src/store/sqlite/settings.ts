import type { Database } from 'bun:sqlite'
import { ACTIVE, ADOPTION_SETTINGS, type AdoptionState } from '../write/rule-adoption.ts'

export function createSettings(writer: Database) {
  const get = writer.query<{ value: string }, [string]>('select value from settings where name = ?')
  const set = writer.query('insert or replace into settings (name, value) values (?, ?)')
  const remove = writer.query('delete from settings where name = ?')
  return {
    get: (name: string) => get.get(name)?.value,
    /** `undefined` removes the setting. */
    set: (name: string, value: string | undefined) =>
      void (value === undefined ? remove.run(name) : set.run(name, value)),
  }
}

export function createAdoption(writer: Database) {
  const { get, set } = createSettings(writer)
  return {
    find: (): AdoptionState =>
      Object.fromEntries([...ADOPTION_SETTINGS, ACTIVE].map((name) => [name, get(name)])),
    save: (state: AdoptionState) => ADOPTION_SETTINGS.forEach((name) => void set(name, state[name])),
  }
}
