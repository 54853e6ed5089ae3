import type { Credential } from '../../domain/credential.ts'
import type { Scores } from '../../domain/passport.ts'
import { count } from '../../domain/text/format.ts'
import { formatFigure, renderDay } from '../format.ts'
import { escapeText, type Html, html } from '../html.ts'
import { CATEGORIES, SCORE_PARTS } from '../score-bar.ts'

/** Puts what has a category in groups: the three that count first. */
export function groupByCategory<T extends { category: string }>(items: readonly T[]) {
  const groups = Map.groupBy(items, ({ category }) => category)
  const others = [...groups.keys()].filter((category) => partOf(category) === undefined)
  return [...Object.values(CATEGORIES), ...others].flatMap((category) => {
    const own = groups.get(category)
    return own === undefined ? [] : [{ category, part: partOf(category), items: own }]
  })
}

const partOf = (category: string) => SCORE_PARTS.find((part) => CATEGORIES[part] === category)

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
<tr class="group"><th scope="rowgroup" colspan="4"><bdi>${category || 'Other'}</bdi> <span>${part === undefined ? 'counts toward no score' : `${formatFigure(scores[part])} from ${count(items.length, 'credential')}`}</span></th></tr>
${items.map(renderCredential)}</tbody>
`,
)}</table>
</section>`
}

/** Rows are most of the page: put together by hand they take a third of the time. Whatever is text must be escaped. */
function renderCredential({ name, value, score, maxScore, earnedAt, calculatedAt }: Credential): Html {
  const about = value === '' ? '' : `<small dir="auto">${escapeText(value)}</small>`
  const earned = earnedAt === undefined ? UNKNOWN : renderDay(earnedAt)
  return {
    markup: `<tr data-score="${score}"><th scope="row"><bdi>${escapeText(name)}</bdi>${about}</th><td>${formatFigure(score)} of ${formatFigure(maxScore)}<svg class="bar" viewBox="0 0 200 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0h${shareOf(score, maxScore)}v1H0z"/></svg></td><td>${earned.markup}</td><td>${renderDay(calculatedAt).markup}</td></tr>
`,
  }
}

/** As an entity: one letter beyond Latin-1 makes the whole page twice as long in memory, and slower to send. */
export const UNKNOWN = html`&ndash;`

/** In steps of half a hundredth. */
const shareOf = (score: number, maxScore: number): number =>
  maxScore > 0 ? Math.round((200 * Math.min(Math.max(score, 0), maxScore)) / maxScore) : 0
