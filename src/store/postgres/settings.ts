import { createSettings } from '../sql/settings.ts'
import { ACTIVE, ADOPTION_SETTINGS, type AdoptionState } from '../write/rule-adoption.ts'
import type { Query } from './connection/query.ts'

export async function findAdoptionState(query: Query): Promise<AdoptionState> {
  const rows = await query<{ name: string; value: string }>(
    'select name, value from settings where name = any($1::text[])',
    [[...ADOPTION_SETTINGS, ACTIVE]],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

export async function saveAdoptionState(query: Query, state: AdoptionState): Promise<void> {
  for (const name of ADOPTION_SETTINGS) await createSettings(query).set(name, state[name])
}
