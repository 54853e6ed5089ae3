import { notFound } from '../../../core/basics/errors.ts'
import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { describeRawValue } from '../../../core/passport/data-point.ts'
import { CREDENTIAL_ACCOUNT, parsePassportRef } from '../../../core/passport/passport.ts'
import type {
  ExplainedPassport,
  ExplanationAccount,
  ExplanationLine,
} from '../../../core/passport/rules/explanation.ts'
import { groupByCategory, linkToType, UNKNOWN } from '../../../ui/credential-rows.ts'
import { type Html, html } from '../../../ui/html.ts'
import { respondPage, shareWithCard } from '../../../ui/layout.ts'
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { formatDay, formatFigure, shortNameOf, shortWord } from '../../../ui/text.ts'
import { describeParts } from './passport-score.ts'

/** Explains a score line by line. Not cached, because the result depends on the active rule set, too. */
export const createExplanationPage = ({ explain }: ExplorerOptions): ExplorerPage => ({
  async render({ params, site }) {
    const ref = parsePassportRef(params.ref ?? '')
    const explanation = ref && (await explain(ref))
    if (!explanation) throw notFound()
    const { passport } = explanation
    const name = shortNameOf(passport)
    const link = html`<a href="/passports/${passport.id}"><bdi>${name}</bdi></a>`
    const main = html`<h1 class="cover">Score calculation of ${link}</h1>
<article class="passport-page">
<section id="explanation">
<div id="lines">
${renderLines(explanation)}
</div>
</section>
</article>`
    const title = `Score calculation of ${name}`
    const description = `${name}: passport score ${formatFigure(passport.scores.total)}, line by line`
    const share = shareWithCard(passport, `/passports/${passport.id}/score`)
    return respondPage({ site, title, description, share, main })
  },
})

function renderLines(explanation: ExplainedPassport): Html {
  const { passport, scores, lines, caps } = explanation
  const first = lines.toSorted((a, b) => b.score - a.score).slice(0, MOST_LINES)
  const rest = lines.length - first.length
  // During a recalculation, the two totals are expected to differ.
  const differs = !passport.stale && scores.total !== passport.scores.total
  const source = html`<p>${describeSource(explanation)}</p>
${differs && renderDifference(scores.total, passport.scores.total)}
`
  if (lines.length === 0) return source
  const groups = groupByCategory(first).map(({ category, part, items }) => {
    const cap = caps[category] === undefined ? '' : `, at most ${formatFigure(caps[category])}`
    const sum = part && html` <span class="soft">${formatFigure(scores[part])}${cap}</span>`
    return html`<tbody class="${part ?? 'other'}">
<tr class="group"><th scope="rowgroup" colspan="3"><bdi>${shorten(category) || 'Not scored'}</bdi>${sum}</th></tr>
${items.map(renderLine)}</tbody>
`
  })
  return html`${source}<table>
<thead><tr>
<th scope="col">Credential</th><th scope="col">Reason</th><th scope="col" class="figure">Points</th>
</tr></thead>
${groups}</table>
${rest > 0 && html`<p>${count(rest, 'more credential')} with fewer points ${rest === 1 ? 'is' : 'are'} not shown.</p>`}
<p class="sum">${describeParts(scores, caps)} = ${formatFigure(scores.total)}</p>`
}

const renderDifference = (result: number, stored: number) => html`<p class="notice">The result is
${formatFigure(result)}. The stored score, ${formatFigure(stored)}, comes from the imported record, an earlier
calculation or other rules.</p>`

/** These limits keep the page of any record below 200 KB. */
const [MOST_LINES, MOST_ACCOUNTS, MOST_CHARACTERS] = [60, 3, 60]

const shorten = (text: string): string => shortWord(text, MOST_CHARACTERS)

/** The rule set is named only if it scored a credential. */
function describeSource({ lines, version, scores }: ExplainedPassport): Html {
  if (lines.length === 0)
    return scores.total === 0
      ? html`There are no credentials to score.`
      : html`The score came with the imported record, which has no credentials.`
  if (lines.every(({ from }) => from === 'record')) return html`All points came with the imported record.`
  const isCurved = lines.some(({ calculation }) => ['sqrt', 'ln'].includes(calculation?.rule.convert ?? ''))
  const isImported = lines.some(({ from }) => from === 'record')
  return html`Each credential earns points by a <a href="/about#parts">rule of this site</a> (rule set
<code>${version}</code>).${isCurved && ABOUT_CURVES}${isImported && ABOUT_IMPORTS}`
}

const ABOUT_CURVES = ' A square root (√) or a logarithm (ln) lets the first steps count most.'

const ABOUT_IMPORTS = html` Other points came with the imported record, from its <a href="/about#data">source</a>.`

function renderLine(line: ExplanationLine): Html {
  const { type, name, score, from, accounts } = line
  const more = accounts.length > 1 || from === 'nothing' ? renderAccounts(accounts) : html``
  return html`<tr>
<th scope="row">${{ markup: linkToType(type, shorten(name)) }}</th>
<td class="wide">${renderReason(line)}${more}</td>
<td class="figure">${from === 'nothing' ? UNKNOWN : formatFigure(score)}</td>
</tr>
`
}

/** Renders a line such as "9 contracts: √9 × 6 = 18, at most 40". */
function renderReason(line: ExplanationLine): Html {
  const { value, from, formula, calculation, givenScore, maxScore, accounts } = line
  const since = (_: string, day: string) => ` (since ${formatDay(Date.parse(day))})`
  const words = line.words?.replace(/ since (\d{4}-\d\d-\d\d)/, since) ?? ''
  if (from === 'nothing') return html`${formula}`
  if (!calculation) {
    const points =
      givenScore === undefined
        ? 'points from the imported record'
        : `${count(givenScore, 'point')} from the imported record, at most ${formatFigure(maxScore)}`
    return value === '' ? html`${points}` : html`<bdi>${shorten(value)}</bdi>, ${points}`
  }
  if (calculation.obstacle !== undefined) return html`<bdi>${shorten(value)}</bdi>, ${calculation.obstacle}`
  const counting = accounts.filter(({ obstacle }) => obstacle === undefined).length
  const isSum = calculation.rule.accounts === 'sum' && counting > 1
  if (isSum) return html`${count(counting, 'account')}: ${words}`
  // The number or the date is in `words` already.
  if (calculation.raw.kind !== 'flag' && value === describeRawValue(calculation.raw)) return html`${words}`
  return html`<bdi>${shorten(value)}</bdi>${value.includes(':') ? ', ' : ': '}${words}`
}

function renderAccounts(accounts: readonly ExplanationAccount[]): Html {
  const rest = accounts.length - MOST_ACCOUNTS
  const items = accounts.slice(0, MOST_ACCOUNTS).map(({ account, value, obstacle }) => {
    const isKnown = account !== '' && !account.startsWith(CREDENTIAL_ACCOUNT)
    const name = isKnown ? shorten(account) : 'account'
    return html`<li><bdi>${name}</bdi>, <bdi>${shorten(value)}</bdi>${obstacle !== undefined && ` (${obstacle})`}</li>`
  })
  return html`<ul>${items}${rest > 0 && html`<li>${count(rest, 'more account')}</li>`}</ul>`
}
