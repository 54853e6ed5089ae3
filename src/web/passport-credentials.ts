import type { Credential } from '../domain/credential.ts'
import type { Scores } from '../domain/passport.ts'
import { formatCount, formatNumber, renderDay, toCoordinate } from './figures.ts'
import { type Html, html } from './html.ts'

/** In the order in which they are shown; all other categories come after them. */
const COUNTED: readonly { category: string; part: keyof Scores }[] = [
  { category: 'Activity', part: 'activity' },
  { category: 'Identity', part: 'identity' },
  { category: 'Skills', part: 'skills' },
]

/** Puts what has a category in groups: the three that count first. */
export function groupByCategory<T extends { category: string }>(items: readonly T[]) {
  const groups = Map.groupBy(items, ({ category }) => category)
  const others = [...groups.keys()].filter((category) => partOf(category) === undefined)
  return [...COUNTED.map(({ category }) => category), ...others].flatMap((category) => {
    const own = groups.get(category)
    return own === undefined ? [] : [{ category, part: partOf(category), items: own }]
  })
}

const partOf = (category: string) => COUNTED.find((each) => each.category === category)?.part

/** Every credential in its category; the store has the highest scores first. */
export function renderCredentials(credentials: readonly Credential[], scores: Scores): Html {
  if (credentials.length === 0) {
    return html`<section id="credentials">
<h2>Credentials</h2>
<p class="soft">No credentials are known.</p>
</section>`
  }
  return html`<section id="credentials">
<h2>Credentials</h2>
<table class="credentials">
<thead><tr><th scope="col">Credential</th><th scope="col">Score</th><th scope="col">Earned</th><th scope="col">Calculated</th></tr></thead>
${groupByCategory(credentials).map(
  ({ category, part, items }) => html`<tbody class="${part ?? 'other'}">
<tr class="group"><th scope="rowgroup" colspan="4"><bdi>${category || 'Other'}</bdi> <span>${part === undefined ? 'counts toward no score' : `${formatNumber(scores[part])} from ${formatCount(items.length, 'credential')}`}</span></th></tr>
${items.map(renderCredential)}</tbody>
`,
)}</table>
</section>`
}

function renderCredential({ name, value, score, maxScore, earnedAt, calculatedAt }: Credential): Html {
  return html`<tr data-score="${score}"><th scope="row"><bdi>${name}</bdi>${value === '' ? html`` : html`<small dir="auto">${value}</small>`}</th><td>${formatNumber(score)} of ${formatNumber(maxScore)}${renderBar(score, maxScore)}</td><td>${earnedAt === undefined ? '–' : renderDay(earnedAt)}</td><td>${renderDay(calculatedAt)}</td></tr>
`
}

/** The text beside it says the same. */
function renderBar(score: number, maxScore: number): Html {
  const share = maxScore > 0 ? toCoordinate((100 * Math.min(Math.max(score, 0), maxScore)) / maxScore) : 0
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0h${share}v1H0z"/></svg>`
}
