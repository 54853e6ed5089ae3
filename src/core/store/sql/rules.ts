import type { EventContent } from '../../history/event.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import { defineData } from '../data.ts'
import { appendEvents } from '../write/write-events.ts'
import { addAuditEntry } from './audit-log.ts'
import { type Database, listColumn, type Query, type Transaction, upsertRows } from './connection.ts'
import { getSetting, setSetting } from './settings.ts'
import { selectTexts } from './words.ts'

export type AppliedRules = {
  stamp: string
  /** The rule set as JSON. */
  body: string
  /** 0 for a built-in rule set. */
  appliedAt: number
  /** Where it comes from: the command "rules apply", the setting RULES, or a release of the program. */
  source: 'apply' | 'RULES' | 'built-in'
}

/** The setting with the stamp of the active rule set. Absent if none was applied and the built-in one is active. */
const ACTIVE = 'active_rules'

const ACTIVE_RULES = `where stamp = (select value from settings where name = '${ACTIVE}')`

/** The setting with the stamps of the applied rule sets, except those that were rolled back. The last one is active. */
const STACK = 'applied_rules'

const MOST_STACKED = 100

export const RULE_SETS = defineData({
  name: 'rules',
  tables: ['rule_sets'],
  open: (database) => createRules(database),
})

export type RulesStore = ReturnType<typeof createRules>

export function createRules({ read: { query: read }, transaction }: Database) {
  /** Any rule set that was ever in force. */
  const find = (stamp: string) => findRules(read, 'where stamp = $1', [stamp])
  return {
    find,
    /** Unknown stamps are left out. */
    listByStamps: (stamps: readonly string[]) =>
      listRules(read, `where stamp in (${selectTexts('$1')})`, [stamps]),
    /** `undefined` if no rule set was ever applied. The built-in one is active then. */
    active: () => findActiveRules(read),
    /** The last applied one first. */
    list: () => listRules(read, 'order by applied_at desc, stamp'),
    /** Stores a rule set without activating it. If it is stored already, it stays unchanged. */
    async keep({ appliedAt, ...rules }: AppliedRules): Promise<void> {
      if (await find(rules.stamp)) return
      const row = { ...rules, applied_at: appliedAt }
      await transaction(({ insertRows }) => insertRows('rule_sets', [row], 'on conflict do nothing'))
    },
    apply: (rules: AppliedRules): Promise<void> => transaction((tx) => applyRules(tx, rules), 'rules'),
    /** Activates the previously applied rule set, or else `builtIn`. Returns `undefined` if nothing changes. */
    rollBack: (builtIn: AppliedRules, now = Date.now()) =>
      transaction((tx) => rollBackRules(tx, builtIn, now), 'rules'),
  }
}

async function applyRules(tx: Transaction, rules: AppliedRules): Promise<void> {
  const active = await findActiveRules(tx.query)
  // Applying the active rule set again does not change its time.
  const isActive = active?.stamp === rules.stamp && active.source !== 'built-in'
  if (isActive) return activate(tx, { ...rules, appliedAt: active.appliedAt }, rules.appliedAt)
  // The time must be later than that of all other rule sets.
  const later = 'select max(applied_at) + 1 from rule_sets where applied_at >= $1'
  const [next] = await listColumn<number | null>(tx.query, later, [rules.appliedAt])
  await saveStack(tx.query, [...(await findStack(tx.query)), rules.stamp])
  await activate(tx, { ...rules, appliedAt: next ?? rules.appliedAt }, rules.appliedAt)
  await audit(tx, 'rules.apply', rules, active?.stamp)
}

async function rollBackRules(tx: Transaction, builtIn: AppliedRules, now: number) {
  const active = await findActiveRules(tx.query)
  const stack = (await findStack(tx.query)).slice(0, -1)
  const next = (await findRules(tx.query, 'where stamp = $1', [stack.at(-1) ?? ''])) ?? builtIn
  if (!active || active.stamp === next.stamp) return undefined
  await activate(tx, next, now)
  await saveStack(tx.query, stack)
  await audit(tx, 'rules.rollback', next, active.stamp)
  return next
}

async function activate(tx: Transaction, { appliedAt, ...rules }: AppliedRules, now: number): Promise<void> {
  const state = await findAdoptionState(tx.query)
  await appendEvents(tx, toActivated(state, rules.stamp), { now })
  await upsertRows(tx, 'rule_sets', ['stamp'], [{ ...rules, applied_at: appliedAt }])
  await setSetting(tx.query, ACTIVE, rules.stamp)
}

async function findStack(query: Query): Promise<string[]> {
  const stack = await getSetting(query, STACK)
  if (stack !== undefined) return JSON.parse(stack)
  // Earlier versions stored only the time of each rule set.
  const isStacked = `applied_at > 0 and applied_at <= (select applied_at from rule_sets ${ACTIVE_RULES})`
  return listColumn<string>(query, `select stamp from rule_sets where ${isStacked} order by applied_at`)
}

const saveStack = (query: Query, stack: readonly string[]) =>
  setSetting(query, STACK, JSON.stringify(stack.slice(-MOST_STACKED)))

const audit = (tx: Transaction, action: string, { stamp, source }: AppliedRules, replaced = 'built-in') =>
  addAuditEntry(tx.query, { action, detail: { rules: stamp, replaced, source } })

const findActiveRules = (query: Query) => findRules(query, ACTIVE_RULES)

const findRules = async (query: Query, rest: string, values: readonly string[] = []) =>
  (await listRules(query, rest, values))[0]

export const listRules = (query: Query, rest: string, values: readonly unknown[] = []) =>
  query<AppliedRules>(`select stamp, body, applied_at as "appliedAt", source from rule_sets ${rest}`, values)

/** How many passports one transaction compares with a new rule set. */
export const ADOPTION_BATCH = 2500

/** `rules` is in force, `adopting` replaces it for passports up to `adopted_to`. `watched_types` is JSON. */
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

/** Saves the state after a step that compared passports up to the id `end`, which is `undefined` after the last one. */
export async function saveStep(
  query: Query,
  state: AdoptionState,
  { rules, watched }: { rules: string; watched?: WatchedTypes | undefined },
  end: number | undefined,
): Promise<void> {
  const progress = end === undefined ? { rules } : { ...state, adopting: rules, adopted_to: String(end) }
  const after: AdoptionState = { ...progress, watched_types: watched && JSON.stringify(watched) }
  for (const name of ADOPTION_SETTINGS) await setSetting(query, name, after[name])
}
