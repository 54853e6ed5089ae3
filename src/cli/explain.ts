import { readConfig } from '../config.ts'
import { nameDatabase } from '../domain/database-address.ts'
import type { Line } from '../domain/explanation.ts'
import type { FullPassport, PassportRef } from '../domain/passport.ts'
import type { RuleSet } from '../scoring/rules.ts'
import { type Outcome, score } from '../scoring/score.ts'
import { openStore } from '../store/open.ts'
import type { Scorable, Store } from '../store/store.ts'
import { EXPLAIN_HELP } from './command-help.ts'
import { parseRefArgument } from './passport-argument.ts'
import { loadRules } from './rules.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { CommandError, DATABASE_OPTIONS, parseOptions, refuseExtra } from './usage.ts'
import { printable } from './words.ts'

const OPTIONS = { ...DATABASE_OPTIONS, json: { type: 'boolean', default: false } } as const

export async function explain(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('explain', args, OPTIONS)
  if (values.help) return terminal.out(EXPLAIN_HELP)
  const ref = parseRefArgument(positionals[0], 'passportd explain ID')
  refuseExtra('explain', positionals.slice(1))
  const config = readConfig(terminal.env, { demo: values.demo === true })
  const rules = await loadRules(config.rules)
  const store = await openStore(config.database, { create: false })
  try {
    const found = await findExplanation(store, ref, rules, terminal.now())
    if (!found)
      throw new CommandError(`There is no passport ${positionals[0]} in ${nameDatabase(config.database)}.`)
    const { passport, outcome } = found
    const name = passport.profile.displayName
    terminal.out(
      values.json ? toJson(passport.id, name, outcome, rules) : toText(passport.id, name, outcome, rules),
    )
    for (const note of found.notes) terminal.err(`${note}\n`)
  } finally {
    await store.close()
  }
}

/** How the score comes about now, and why answers may show something else. */
export async function findExplanation(store: Store, ref: PassportRef, rules: RuleSet, now: number) {
  const [passport, evidence] = [await store.passports.find(ref), await store.scoring.find(ref)]
  if (!passport || !evidence) return undefined
  const outcome = score(evidence, rules, now)
  return { passport, outcome, notes: notes(passport, evidence, outcome, rules, ref) }
}

/** Why answers may show something else. */
function notes(
  passport: FullPassport,
  { rules: used }: Scorable,
  { scores }: Outcome,
  rules: RuleSet,
  ref: PassportRef,
): string[] {
  const found: string[] = []
  if ('id' in ref && ref.id !== passport.id) found.push(`Passport ${ref.id} is merged into ${passport.id}.`)
  if (passport.stale) found.push('It is being recalculated: answers still show the old score.')
  else if (scores.total !== passport.scores.total) {
    const by =
      used === ''
        ? 'its record'
        : used === rules.stamp
          ? 'an earlier calculation'
          : `rule set ${used}, not ${rules.stamp}`
    found.push(`Answers show ${passport.scores.total}, by ${by}. "passportd score --all" works it out anew.`)
  }
  return found
}

function toJson(id: number, name: string, { scores, human, lines }: Outcome, rules: RuleSet): string {
  const credentials = lines.map(({ maxScore, ...line }) => ({ ...line, max_score: maxScore }))
  return `${JSON.stringify({ passport_id: id, name, rules: rules.version, scores, human, caps: rules.caps ?? {}, credentials }, null, 2)}\n`
}

function toText(id: number, name: string, { scores, human, lines }: Outcome, rules: RuleSet): string {
  const categories = [
    ...new Set(['Activity', 'Identity', 'Skills', ...lines.map(({ category }) => category)]),
  ]
  const parts = categories.flatMap((category) => {
    const own = lines.filter((line) => line.category === category).sort((a, b) => b.score - a.score)
    return own.length === 0 ? [] : [`\n${heading(category, own, rules)}\n${formatTable(own.flatMap(toRows))}`]
  })
  const sums = `${scores.activity} activity + ${scores.identity} identity + ${scores.skills} skills`
  return `Passport ${id}, ${printable(name) || 'without a name'}: ${scores.total}
${sums}${Object.keys(rules.caps ?? {}).length > 0 ? ', each within its cap' : ''}, by rule set ${rules.version}
Known to be human: ${human ? 'yes' : 'no'}
${parts.join('')}`
}

function heading(category: string, lines: readonly Line[], { caps = {} }: RuleSet): string {
  if (category === '') return 'Not scored'
  const sum = lines.reduce((total, line) => total + line.score, 0)
  const cap = caps[category]
  return `${printable(category)}: ${Math.round(sum * 100) / 100}${cap === undefined ? '' : `, ${cap} at most`}`
}

function toRows({ name, score, maxScore, formula, from, accounts }: Line): string[][] {
  const points = from === 'nothing' ? '' : `${score} of ${maxScore}`
  const main = ['', printable(name), points, formula]
  if (accounts.length < 2) return [main]
  return [
    main,
    ...accounts.map((each) => [
      '',
      `  ${printable(each.account) || 'account'}`,
      '',
      `${printable(each.value)}: ${each.formula}`,
    ]),
  ]
}
