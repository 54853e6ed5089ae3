import { CommandError } from '../../core/basics/errors.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../../core/cli/command.ts'
import { openWithRules } from '../../core/cli/open-store.ts'
import { BY_KEY, findRef, parseKey } from '../../core/cli/passport-argument.ts'
import { formatTable } from '../../core/cli/table.ts'
import {
  type ExplanationAccount,
  type ExplanationLine,
  sliceAccounts,
} from '../../core/passport/rules/explanation.ts'
import { findExplanation } from '../../core/scoring/explain-score.ts'
import type { ExplainedScore } from '../../core/scoring/score.ts'
import type { RuleSet } from '../../core/scoring/stamped-rule-set.ts'

export const explain = defineCommand({
  name: 'explain',
  summary: 'explain a score, credential by credential',
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [{ args: 'ID', about: BY_KEY }],
  async run({ values, args: [argument = ''] }, terminal) {
    const key = parseKey(argument)
    await using database = await openWithRules(terminal, values)
    const { store, rules, name } = database
    const ref = await findRef(store, key)
    const explanation = ref && (await findExplanation(store, ref, rules, terminal.now()))
    if (!explanation) throw new CommandError(`There is no passport ${argument} in ${name}.`)
    const { passport, outcome } = explanation
    const present = values.json ? explanationJson : toText
    terminal.out(present(passport.id, passport.profile.displayName, outcome, rules))
    for (const note of explanation.notes) terminal.err(`${note}\n`)
  },
})

function explanationJson(
  id: number,
  name: string,
  { scores, human, lines }: ExplainedScore,
  rules: RuleSet,
): string {
  const { version, stamp, caps = {} } = rules
  const credentials = lines.map((explained) => {
    const { givenScore, calculation, words, maxScore: max_score, ...line } = explained
    const accounts = sliceAccounts(explained)
    return { ...line, accounts, more_accounts: line.accounts.length - accounts.length, max_score }
  })
  const report = { passport_id: id, name, rules: version, stamp, scores, human, caps, credentials }
  return toJsonText(report, 2)
}

function toText(id: number, name: string, { scores, human, lines }: ExplainedScore, rules: RuleSet): string {
  const categories = [
    ...new Set(['Activity', 'Identity', 'Skills', ...lines.map(({ category }) => category)]),
  ]
  const parts = categories.flatMap((category) => {
    const own = lines.filter((line) => line.category === category).sort((a, b) => b.score - a.score)
    return own.length === 0 ? [] : [`\n${heading(category, own, rules)}\n${formatTable(own.flatMap(toRows))}`]
  })
  const sums = `${scores.activity} activity + ${scores.identity} identity + ${scores.skills} skills`
  return `Passport ${id}, ${printable(name) || 'without a name'}: ${scores.total}
${sums}${Object.keys(rules.caps ?? {}).length > 0 ? ', each within its cap' : ''}, by rule set ${printable(rules.stamp)}
Known to be human: ${human ? 'yes' : 'no'}
${parts.join('')}`
}

function heading(category: string, lines: readonly ExplanationLine[], { caps = {} }: RuleSet): string {
  if (category === '') return 'Not scored'
  const sum = lines.reduce((total, line) => total + line.score, 0)
  const cap = caps[category]
  return `${printable(category)}: ${Math.round(sum * 100) / 100}${cap === undefined ? '' : `, ${cap} at most`}`
}

function toRows(line: ExplanationLine): string[][] {
  const { name, score, maxScore, formula, from } = line
  const accounts = sliceAccounts(line)
  const more = line.accounts.length - accounts.length
  const points = from === 'nothing' ? '' : `${score} of ${maxScore}`
  const [account, ...others] = accounts
  const issued = account && others.length === 0 ? describeIssuer(account) : ''
  const main = ['', printable(name), points, formula + issued]
  if (others.length === 0) return [main]
  const rows = accounts.map((point) => {
    const reason = `${printable(point.value)}: ${point.formula}${describeIssuer(point)}`
    return ['', `  ${printable(point.account) || 'account'}`, '', reason]
  })
  return [main, ...rows, ...(more > 0 ? [['', `  and ${more} more`, '', '']] : [])]
}

const describeIssuer = ({ issuer }: ExplanationAccount) =>
  issuer === undefined ? '' : `, issued by ${printable(issuer)}`
