import { type Caps, roundScore } from '../../domain/credential.ts'
import { notFound } from '../../domain/errors.ts'
import type { ExplainedPassport, ExplanationLine } from '../../domain/explanation.ts'
import { type Passport, parsePassportRef, type Scores } from '../../domain/passport.ts'
import { CREDENTIAL_ACCOUNT } from '../../domain/record.ts'
import { type ExplorerOptions, type ExplorerPage, file, POLICY } from '../explorer-page.ts'
import { formatFigure, shortNameOf } from '../format.ts'
import { escapeText, type Html, html } from '../html.ts'
import { renderLayout } from '../layout.ts'
import { CATEGORIES, SCORE_PARTS } from '../score-bar.ts'
import { groupByCategory, UNKNOWN } from './credential-rows.ts'

/** The sum of the score, for the passport page. The script inserts the lines of the explanation page. */
export function renderExplanation({ id, scores }: Passport): Html {
  const { activity, identity, skills, total } = scores
  const isSum = roundScore(activity + identity + skills) === total
  return html`<section id="explanation">
<h2>Score calculation</h2>
<p>${describeParts(scores, {})}${isSum ? ' = ' : ', limited by the caps of the categories, is '}${formatFigure(total)}</p>
<details id="how">
<summary>Details</summary>
<p data-lines><a href="/passports/${id}/score">Show the points of every credential</a></p>
</details>
</section>`
}

/** Explains a score line by line. Not cached, because the result depends on the clock. */
export const createExplanationPage = ({ explain }: ExplorerOptions): ExplorerPage => ({
  version: () => undefined,
  async render({ params, site }) {
    const ref = parsePassportRef(params.ref ?? '')
    const explanation = ref && (await explain(ref))
    if (!explanation) throw notFound()
    const { passport } = explanation
    const name = shortNameOf(passport)
    const main = html`<h1>Score calculation of <a href="/passports/${passport.id}"><bdi>${name}</bdi></a></h1>
<article class="passport-page">
<section id="explanation">
<div id="lines">
${renderLines(explanation)}
</div>
</section>
</article>`
    const title = `Score calculation of ${name}`
    const description = `${name}: passport score ${formatFigure(passport.scores.total)}, line by line`
    return file('text/html', renderLayout({ site, title, description, main }), POLICY.explorer)
  },
})

function renderLines({ passport, scores, lines, rules, caps }: ExplainedPassport): Html {
  return html`<p>By rule set <code>${rules}</code>${lines.length === 0 ? html`: there are no credentials to score.` : html`, with the current data:`}</p>
${differs(scores, passport) ? html`<p class="differs">The result is ${formatFigure(scores.total)}. The stored score, ${formatFigure(passport.scores.total)}, comes from the imported record, an earlier calculation or other rules.</p>` : html``}
${
  lines.length === 0
    ? html``
    : html`<table class="reasons">
<thead><tr><th scope="col">Credential</th><th scope="col">Reason</th><th scope="col">Points</th></tr></thead>
${groupByCategory(lines).map(
  ({ category, part, items }) => html`<tbody>
<tr class="group"><th scope="rowgroup" colspan="3"><bdi>${category || 'Not scored'}</bdi>${part === undefined ? html`` : html` <span>${describeSum(scores[part], caps[category])}</span>`}</th></tr>
${items.toSorted((one, other) => other.score - one.score).map(renderLine)}</tbody>
`,
)}</table>
<p class="sum">${describeParts(scores, caps)} = ${formatFigure(scores.total)}</p>`
}`
}

/** During a recalculation a difference is expected. */
const differs = (scores: Scores, passport: Passport): boolean =>
  !passport.stale && scores.total !== passport.scores.total

const describeSum = (sum: number, cap: number | undefined): string =>
  cap === undefined ? formatFigure(sum) : `${formatFigure(sum)}, at most ${formatFigure(cap)}`

const describeParts = (scores: Scores, caps: Caps): string =>
  SCORE_PARTS.map((part) => {
    const category = CATEGORIES[part]
    return `${formatFigure(Math.min(scores[part], caps[category] ?? scores[part]))} ${category}`
  }).join(' + ')

/** Concatenated for speed. All text must be escaped. */
function renderLine({ name, score, formula, from, accounts }: ExplanationLine): Html {
  const more =
    accounts.length > 1 || from === 'nothing' ? html`<ul>${accounts.map(renderAccount)}</ul>`.markup : ''
  const points = from === 'nothing' ? UNKNOWN.markup : formatFigure(score)
  return {
    markup: `<tr><th scope="row"><bdi>${escapeText(name)}</bdi></th><td>${escapeText(formula)}${more}</td><td>${points}</td></tr>
`,
  }
}

function renderAccount({ account, value, formula }: ExplanationLine['accounts'][number]): Html {
  const known = account !== '' && !account.startsWith(CREDENTIAL_ACCOUNT)
  return html`<li><bdi>${known ? account : 'account'}</bdi>, <bdi>${value}</bdi>${formula === '' ? '' : `: ${formula}`}</li>`
}
