import type { EventContent } from '../../history/event.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import type { AdoptionJob } from '../scoring-store.ts'
import type { Query } from './connection.ts'
import { setSetting } from './settings.ts'

/** How many passports one transaction compares with a new rule set. */
export const ADOPTION_BATCH = 2500

/** The setting with the stamp of the active rule set. Absent if none was applied and the built-in one is active. */
export const ACTIVE = 'active_rules'

/**
 * `rules` is in force, `adopting` is replacing it, and passports up to the id `adopted_to` have been compared.
 * `watched_types` of the newer of the two is JSON, so that writers need not read the rule set.
 */
const ADOPTION_SETTINGS = ['rules', 'adopting', 'adopted_to', 'watched_types'] as const

/** The settings by name. Absent ones are undefined. */
export type AdoptionState = {
  [name in (typeof ADOPTION_SETTINGS)[number] | typeof ACTIVE]?: string | undefined
}

/** The rule set to score with: the active one, otherwise the one that is being adopted, otherwise the one in force. */
export const targetRules = ({ active_rules, adopting, rules }: AdoptionState): string | undefined =>
  active_rules ?? adopting ?? rules

export const watchedTypes = ({ watched_types }: AdoptionState): WatchedTypes | undefined =>
  watched_types === undefined ? undefined : JSON.parse(watched_types)

/** The next passports to compare with `next`. `undefined` if `next` is in force, or if another rule set is active. */
export function nextRange({ rules, adopting, adopted_to, active_rules }: AdoptionState, next: string) {
  if ((active_rules ?? next) !== next) return undefined
  if (rules === next && adopting === undefined) return undefined
  const after = adopting === next ? Number(adopted_to) : -1
  // The first rule set keeps the scores that came with records; a later one replaces them.
  return { after, withRecordScores: rules !== undefined }
}

/** The event when a rule set is activated. No event if passports are scored with this rule set already. */
export function toActivated(state: AdoptionState, next: string): EventContent[] {
  const before = targetRules(state) ?? ''
  return before === next ? [] : [{ type: 'rules.changed', rules: [before, next] }]
}

export async function findAdoptionState(query: Query): Promise<AdoptionState> {
  const names = [...ADOPTION_SETTINGS, ACTIVE].map((name) => `'${name}'`)
  const rows = await query<{ name: string; value: string }>(
    `select name, value from settings where name in (${names})`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Saves the state after a step that compared passports up to the id `end`. `end` is `undefined` if there are none left. */
export async function saveStep(
  query: Query,
  state: AdoptionState,
  { rules, watched }: AdoptionJob,
  end: number | undefined,
): Promise<void> {
  const progress = end === undefined ? { rules } : { ...state, adopting: rules, adopted_to: String(end) }
  const after: AdoptionState = { ...progress, watched_types: watched && JSON.stringify(watched) }
  for (const name of ADOPTION_SETTINGS) await setSetting(query, name, after[name])
}
