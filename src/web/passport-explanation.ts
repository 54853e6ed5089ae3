import type { Caps } from '../domain/credential.ts'
import type { Explanation, Line } from '../domain/explanation.ts'
import type { Passport, Scores } from '../domain/passport.ts'
import { CREDENTIAL_ACCOUNT } from '../domain/record.ts'
import { escapeText, type Html, html } from './html.ts'
import { groupByCategory, UNKNOWN } from './passport-credentials.ts'
import { formatFigure } from './wording.ts'

/** How the score comes about, line by line. */
export function renderExplanation(
  explanation: Explanation | undefined,
  passport: Pick<Passport, 'scores' | 'stale'>,
): Html {
  return html`<section id="explanation">
<details id="how">
<summary><h2>How this score comes about</h2></summary>
${explanation === undefined ? html`<p>This cannot be told right now. Try again in a while.</p>` : renderLines(explanation, passport)}
</details>
</section>`
}

function renderLines(
  { scores, lines, rules, caps }: Explanation,
  passport: Pick<Passport, 'scores' | 'stale'>,
): Html {
  return html`<p>By rule set <code>${rules}</code>${lines.length === 0 ? html`. No credentials are known that it could be worked out from.` : html`, from what is known now:`}</p>
${differs(scores, passport) ? html`<p class="differs">This comes to ${formatFigure(scores.total)}. The score that is shown, ${formatFigure(passport.scores.total)}, is by the passport&rsquo;s record, an earlier calculation or other rules.</p>` : html``}
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
<p class="sum">${describeTotal(scores, caps)}</p>`
}`
}

/** While it is being recalculated nobody expects them to be the same. */
const differs = (scores: Scores, passport: Pick<Passport, 'scores' | 'stale'>): boolean =>
  !passport.stale && scores.total !== passport.scores.total

const describeSum = (sum: number, cap: number | undefined): string =>
  cap === undefined ? formatFigure(sum) : `${formatFigure(sum)}, ${formatFigure(cap)} at most`

function describeTotal({ activity, identity, skills, total }: Scores, caps: Caps): string {
  const part = (category: string, sum: number) => {
    const cap = caps[category]
    return `${formatFigure(cap === undefined ? sum : Math.min(sum, cap))} ${category}`
  }
  return `${part('Activity', activity)} + ${part('Identity', identity)} + ${part('Skills', skills)} = ${formatFigure(total)}`
}

/** By hand, as the rows of the credentials are. */
function renderLine({ name, score, formula, from, accounts }: Line): Html {
  const more =
    accounts.length > 1 || from === 'nothing' ? html`<ul>${accounts.map(renderAccount)}</ul>`.markup : ''
  const points = from === 'nothing' ? UNKNOWN.markup : formatFigure(score)
  return {
    markup: `<tr><th scope="row"><bdi>${escapeText(name)}</bdi></th><td>${escapeText(formula)}${more}</td><td>${points}</td></tr>
`,
  }
}

function renderAccount({ account, value, formula }: Line['accounts'][number]): Html {
  const known = account !== '' && !account.startsWith(CREDENTIAL_ACCOUNT)
  return html`<li><bdi>${known ? account : 'account'}</bdi>, <bdi>${value}</bdi>${formula === '' ? '' : `: ${formula}`}</li>`
}
