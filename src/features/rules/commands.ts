import { digestOfRules } from '../../core/basics/canonical-json.ts'
import { CommandError } from '../../core/basics/errors.ts'
import { count, number } from '../../core/basics/text/counts-and-sizes.ts'
import { isoTime } from '../../core/basics/text/instant.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import {
  DATABASE_OPTIONS,
  defineCommand,
  JSON_OPTION,
  type Terminal,
  type Values,
} from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { formatTable } from '../../core/cli/table.ts'
import { loadChecker, readRules } from '../../core/scoring/load-rules.ts'
import { adoptRules } from '../../core/scoring/rescore.ts'
import {
  DEFAULT_RULES,
  findRules,
  type RuleSet,
  toAppliedRules,
  toRuleSet,
} from '../../core/scoring/stamped-rule-set.ts'
import { RULE_SETS } from '../../core/store/sql/rules.ts'
import type { Store } from '../../core/store/store.ts'
import type { Change, Checkmarks, LevelCount, RulesDiff } from './rules-diff.ts'
import { diffRules } from './rules-diff.ts'

const OPTIONS = {
  'built-in': { about: 'show the built-in rule set' },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export const rules = defineCommand({
  name: 'rules',
  summary: 'check, compare and apply rule sets, which turn values into points',
  description: `The database keeps every rule set that was in force. All processes use the active one; running nodes
    adopt another one within seconds. docs/scoring.md describes the format.`,
  options: OPTIONS,
  forms: [
    { action: 'check', args: 'FILE', options: [], about: 'reports the problems of the file' },
    { action: 'diff', args: 'FILE', options: ['json'], about: 'shows how the file would change the scores' },
    { action: 'apply', args: 'FILE', options: [], about: 'stores and activates the file' },
    {
      action: 'rollback',
      options: [],
      about: 'activates the rule set that was active before the last apply',
    },
    { action: 'list', options: ['json'], about: 'lists all stored rule sets, the last applied one first' },
    {
      action: 'show',
      args: '[STAMP]',
      options: ['built-in'],
      about: 'prints a stored rule set, by default the active one',
    },
  ],
  examples: [
    'passportd rules show > rules.json',
    'passportd rules diff rules.json',
    'passportd rules apply rules.json',
  ],
  async run({ values, args: [argument = ''], action }, terminal) {
    if (action === 'check') return checkRules(argument, terminal)
    if (values['built-in']) return printRules(DEFAULT_RULES, terminal)
    const file = action === 'diff' || action === 'apply' ? await parseFile(argument, terminal) : undefined
    await using database = await openConfigured(terminal, values)
    const target = { store: database.store, values, terminal }
    if (file) await (action === 'diff' ? showDiff : applyRules)(file, target)
    else if (action === 'rollback') await rollBack(target)
    else if (action === 'list') await listRules(target)
    else await showRules(argument, target)
  },
})

type Target = { store: Store; values: Values<typeof OPTIONS>; terminal: Terminal }

async function checkRules(path: string, terminal: Terminal): Promise<void> {
  const { version, types, levels = [] } = await parseFile(path, terminal)
  const levelText = levels.length > 0 ? `, ${count(levels.length, 'level')}` : ''
  terminal.out(
    `${path} is a valid rule set: version ${version}, ${count(Object.keys(types).length, 'type')}${levelText}.\n`,
  )
}

/** Prints problems and warnings; throws if there are problems. */
async function parseFile(path: string, terminal: Terminal): Promise<RuleSet> {
  const { parseRules, RulesError, warningsOf } = await loadChecker()
  try {
    const rules = parseRules(readRules(path))
    printSome(warningsOf(rules), 'warning', (warning) => terminal.err(`${path}: ${warning}\n`))
    return rules
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    printSome(error.problems, 'problem', (problem) => terminal.err(`${path}: ${problem}\n`))
    throw new CommandError(`${path} has ${count(error.problems.length, 'problem')}.`)
  }
}

const SHOWN_SENTENCES = 100

function printSome(sentences: readonly string[], noun: string, print: (line: string) => void): void {
  const prefix = noun === 'warning' ? 'warning: ' : ''
  for (const sentence of sentences.slice(0, SHOWN_SENTENCES)) print(`${prefix}${printable(sentence)}`)
  const rest = sentences.length - SHOWN_SENTENCES
  if (rest > 0) print(`${count(rest, `more ${noun}`)}.`)
}

async function showDiff(after: RuleSet, { store, values, terminal }: Target): Promise<void> {
  const before = await findRules(store)
  const progress = createProgress(terminal, 'passports', await store.passports.count())
  const now = terminal.now()
  const diff = await diffRules({ store, before, after, now, onProgress: (done) => progress.update(done) })
  progress.end()
  if (values.json) {
    const sets = { before: before.stamp, after: after.stamp }
    return terminal.out(toJsonText({ ...sets, ...presentDiff(diff) }, 2))
  }
  terminal.out(describeDiff(diff))
  terminal.err(
    `Compared ${printable(before.stamp)}, which is active, with ${printable(after.stamp)}. Nothing was changed.\n`,
  )
}

function presentDiff(diff: RulesDiff) {
  const { passports, rise, fall, failed, histogram, largest, gained, lost, levels } = diff
  return {
    passports,
    rise,
    fall,
    stay: stayOf(diff),
    failed,
    histogram: Object.fromEntries(histogram),
    largest: largest.map(({ id, ...change }) => ({ passport_id: id, ...change })),
    human: { gained: gained.count, lost: lost.count, gained_ids: gained.ids, lost_ids: lost.ids },
    levels,
  }
}

function describeDiff(diff: RulesDiff): string {
  const { passports, rise, fall, failed, histogram, largest, gained, lost, levels } = diff
  const verb = (value: number, singular: string) =>
    `${number(value)} ${value === 1 ? singular : singular.slice(0, -1)}`
  return [
    `${count(passports, 'passport')}: ${count(rise, 'score')} ${rise === 1 ? 'rises' : 'rise'}, ${verb(fall, 'falls')}, ${verb(stayOf(diff), 'stays')}.\n`,
    failed > 0 ? `${count(failed, 'passport')} cannot be scored.\n` : '',
    section(
      ['CHANGE', 'PASSPORTS'],
      [...histogram].map(([range, some]) => [range, number(some)]),
    ),
    section(
      ['PASSPORT', 'BEFORE', 'AFTER', 'CHANGE', 'BECAUSE OF'],
      largest.map(changeRow),
      'Largest changes\n',
    ),
    section(['LEVEL BEFORE', 'FROM', 'PASSPORTS'], levels.before.map(toLevelRow)),
    section(['LEVEL AFTER', 'FROM', 'PASSPORTS'], levels.after.map(toLevelRow)),
    `\nGain the human checkmark: ${describeMarks(gained)}\nLose the human checkmark: ${describeMarks(lost)}\n`,
  ].join('')
}

const section = (head: string[], rows: string[][], title = '') =>
  rows.length === 0 ? '' : `\n${title}${formatTable([head, ...rows])}`

const stayOf = ({ passports, rise, fall, failed }: RulesDiff) => passports - rise - fall - failed

const toLevelRow = ({ name, from, passports }: LevelCount) => [printable(name), `${from}`, number(passports)]

const signed = (change: number) => `${change > 0 ? '+' : ''}${Math.round(change * 100) / 100}`

function changeRow({ id, before, after, reasons }: Change): string[] {
  const causes = reasons.map((reason) => `${reason.type} ${signed(reason.after - reason.before)}`)
  // If no credential changed, the cap of a category changed.
  return [`${id}`, `${before}`, `${after}`, signed(after - before), causes.join(', ') || 'caps']
}

function describeMarks({ count: all, ids }: Checkmarks): string {
  if (all === 0) return '0'
  return `${number(all)} (${ids.join(', ')}${all > ids.length ? ', …' : ''})`
}

async function applyRules(next: RuleSet, { store, terminal }: Target): Promise<void> {
  await store.data(RULE_SETS).apply(toAppliedRules(next, 'apply', terminal.now()))
  await adoptRules({ store, rules: next })
  terminal.err(`Rule set ${printable(next.stamp)} is active. ${await describeStale(store)}\n`)
}

async function rollBack({ store, terminal }: Target): Promise<void> {
  const previous = await store
    .data(RULE_SETS)
    .rollBack(toAppliedRules(DEFAULT_RULES, 'built-in', 0), terminal.now())
  if (!previous) throw new CommandError('There is no earlier rule set: the built-in one is active.')
  await adoptRules({ store, rules: toRuleSet(previous) })
  const name = `${previous.source === 'built-in' ? 'The built-in rule set' : 'Rule set'} ${printable(previous.stamp)}`
  terminal.err(`${name} is active again. ${await describeStale(store)}\n`)
}

async function describeStale({ scoring }: Store): Promise<string> {
  const stale = await scoring.countStale()
  return `${count(stale, 'score')} will be calculated by running nodes, or by "${PROGRAM} score".`
}

async function listRules({ store, values, terminal }: Target): Promise<void> {
  const active = await findRules(store)
  const all = (await store.data(RULE_SETS).list()).map((row) => ({
    stamp: row.stamp,
    version: toRuleSet(row).version,
    active: row.stamp === active.stamp,
    applied_at: row.appliedAt === 0 ? null : isoTime(row.appliedAt),
    source: row.source,
    digest: digestOfRules(row.body),
  }))
  if (values.json) return terminal.out(toJsonText(all))
  const rows = all.map((entry) => [
    printable(entry.stamp),
    entry.active ? 'active' : '',
    entry.applied_at ?? '-',
    entry.source,
    entry.digest,
  ])
  if (rows.length > 0)
    terminal.out(formatTable([['STAMP', 'STATE', 'APPLIED', 'SOURCE', 'SHA-256'], ...rows]))
  if (!all.some(({ active }) => active))
    terminal.err(`No rule set was applied: the built-in set ${active.stamp} is active.\n`)
}

async function showRules(stamp: string, { store, terminal }: Target): Promise<void> {
  if (stamp === '') return printRules(await findRules(store), terminal)
  const ruleSet = await store.data(RULE_SETS).find(stamp)
  if (!ruleSet) throw new CommandError(`There is no rule set "${stamp}": "rules list" shows the stamps.`)
  printRules(toRuleSet(ruleSet), terminal)
}

function printRules({ stamp: _, ...output }: RuleSet, terminal: Terminal): void {
  terminal.out(toJsonText(output, 2))
}
