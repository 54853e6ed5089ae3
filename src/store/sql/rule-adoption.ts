import type { EventContent } from '../../domain/history/event.ts'
import type { Query } from './connection.ts'
import { setSetting } from './settings.ts'

/** Passports that a new rule set is compared with in one transaction. */
export const ADOPTION_BATCH = 2500

/** The setting with the stamp of the applied rule set that is active; absent for the built-in one. */
export const ACTIVE = 'active_rules'

/** `adopted_to` is the last passport id that the adoption has compared. */
const ADOPTION_SETTINGS = ['rules', 'adopting', 'adopted_to'] as const

/** The rule set in force, and the one that is replacing it. */
type AdoptionState = { [name in (typeof ADOPTION_SETTINGS)[number] | typeof ACTIVE]?: string | undefined }

/** The rule set to score with: the active one, or else the one that is being adopted or in force. */
export const targetRules = ({ active_rules, adopting, rules }: AdoptionState): string | undefined =>
  active_rules ?? adopting ?? rules

/** The passports that the adoption of `next` compares next. `undefined` if `next` is in force, or if another rule set is active. */
export function nextRange({ rules, adopting, adopted_to, active_rules }: AdoptionState, next: string) {
  if ((active_rules ?? next) !== next) return undefined
  if (rules === next && adopting === undefined) return undefined
  const after = adopting === next ? Number(adopted_to) : -1
  // The first rule set keeps the scores that came with records; a later one replaces them.
  return { after, withRecordScores: rules !== undefined }
}

/** The state after a step that ended at an id, or at the last passport. */
export const stateAfterStep = (
  state: AdoptionState,
  rules: string,
  end: number | undefined,
): AdoptionState => (end === undefined ? { rules } : { ...state, adopting: rules, adopted_to: String(end) })

/** The event of an activated rule set; none if it is the one to score with already. */
export function toActivated(state: AdoptionState, next: string): EventContent[] {
  const before = targetRules(state) ?? ''
  return before === next ? [] : [{ type: 'rules.changed', rules: [before, next] }]
}

/** The event of the first step of an adoption. An applied rule set has its event since it was activated. */
export const toRulesChanged = (state: AdoptionState, next: string): EventContent[] =>
  state.active_rules === undefined ? toActivated(state, next) : []

export async function findAdoptionState(query: Query): Promise<AdoptionState> {
  const names = [...ADOPTION_SETTINGS, ACTIVE].map((name) => `'${name}'`)
  const rows = await query<{ name: string; value: string }>(
    `select name, value from settings where name in (${names})`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

export async function saveAdoptionState(query: Query, state: AdoptionState): Promise<void> {
  for (const name of ADOPTION_SETTINGS) await setSetting(query, name, state[name])
}
