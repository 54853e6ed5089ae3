import type { Cause } from '../core/history/event.ts'
import { type Credential, roundScore } from '../core/passport/credential.ts'
import { CATEGORIES, partOf } from './charts.ts'
import { escapeText, type Html, html } from './html.ts'
import { credentialAddress, formatChange, formatFigure, renderDay, shortWord } from './text.ts'

export const MAX_NAME_LENGTH = 60
const MAX_VALUE_LENGTH = 100

/** Longer types have no page of their own. */
const MAX_TYPE_LENGTH = 60

/** Groups by category; the three scored categories come first. */
export function groupByCategory<T extends { category: string }>(items: readonly T[]) {
  const groups = Map.groupBy(items, ({ category }) => category)
  const others = [...groups.keys()].filter((category) => partOf(category) === undefined)
  return [...Object.values(CATEGORIES), ...others].flatMap((category) => {
    const own = groups.get(category)
    return own === undefined ? [] : [{ category, part: partOf(category), items: own }]
  })
}

export type CredentialRow = Html & { category: string }

/** Concatenated for speed: three times as fast as `html`. All text must be escaped. */
export function renderCredential(credential: Credential): CredentialRow {
  const { type, name, category, value, score, maxScore, earnedAt, issuer } = credential
  const issued = issuer && `issued by ${shortWord(issuer, MAX_NAME_LENGTH)}`
  const shown = [formatValue(value), issued].filter(Boolean).join(', ')
  const about = shown === '' ? '' : `<span class="soft detail" dir="auto">${escapeText(shown)}</span>`
  const label = linkToType(type, shortWord(name, MAX_NAME_LENGTH))
  const figures = `${formatFigure(score)} <span class="soft">of ${formatFigure(maxScore)}</span>`
  const earned = earnedAt === undefined ? '' : renderDay(earnedAt).markup
  return {
    category,
    markup: `<tr><th scope="row">${label}${about}</th>
<td class="wide">${figures}${renderProgress(score, maxScore).markup}</td>
<td class="figure soft">${earned}</td></tr>
`,
  }
}

const formatValue = (value: string, limit = MAX_VALUE_LENGTH): string =>
  shortWord(value, limit).replace(/^\d{4,15}(?= )/, (text) => formatFigure(Number(text)))

export function linkToType(type: string, name: string): string {
  const text = `<bdi>${escapeText(name || type.slice(0, MAX_NAME_LENGTH))}</bdi>`
  if (type === '' || type.length > MAX_TYPE_LENGTH || !type.isWellFormed()) return text
  return `<a href="${escapeText(credentialAddress(type))}">${text}</a>`
}

export function renderProgress(score: number, maxScore: number): Html {
  const share = maxScore > 0 ? Math.round((100 * Math.min(Math.max(score, 0), maxScore)) / maxScore) : 0
  return { markup: `<svg class="bar thin" aria-hidden="true"><rect width="${share}%" height="100%"/></svg>` }
}

/** Returns "GitHub −8, 21 to 13", or "GitHub +7" if there were no points before or are none now. */
export function describeChange(name: string, before: number, after: number): string {
  const steps = before && after ? `, ${formatFigure(before)} to ${formatFigure(after)}` : ''
  return `${shortWord(name, 30)} ${formatChange(roundScore(after - before))}${steps}`
}

const CAUSES: Record<Cause, string> = {
  added: 'first recorded',
  gone: 'removed',
  value: 'new data',
  rules: 'new rules',
  time: 'time passed',
  record: 'imported record',
  merge: 'merged passport',
  uncounted: 'category does not count',
  capped: 'maximum of a part',
  calculated: 'first calculation',
}

/** Words for the part of a change that no credential explains. */
export function wordsOf(cause: Cause | undefined, earlierRules: string): string {
  if (cause !== undefined && cause !== 'rules') return CAUSES[cause]
  // A record without a total has its first score when the rules have calculated it.
  return earlierRules === '' ? 'first calculation' : 'maximum of a part'
}

const BEFORE_VALUE: Partial<Record<Cause, string>> = { added: 'first recorded: ', value: 'now ' }

/** Returns " (now 33 contracts)" or " (time passed)". `value` may be unknown. */
export function describeCause(cause: Cause, value = ''): string {
  const words = BEFORE_VALUE[cause]
  return ` (${words && value !== '' ? `${words}${formatValue(value, 40).replace(': ', ' ')}` : CAUSES[cause]})`
}

/** Uses an arrow and a sign, so that falls and rises differ without colour, too. */
export const renderChange = (delta: number): Html =>
  html`<span class="${delta < 0 ? 'fall' : 'rise'}">${hiddenArrow(delta)} ${formatChange(delta)}</span>`

const hiddenArrow = (delta: number) => html`<span aria-hidden="true">${arrowOf(delta)}</span>`

export const arrowOf = (delta: number): Html => (delta < 0 ? html`&#9660;` : html`&#9650;`)

/** While these details are closed, the style sheet hides the rows below. A single row is not folded. */
export function foldRows(rows: readonly Html[], first: number, id: string, columns: number) {
  const summary = html`<summary>${formatFigure(rows.length - first)} more</summary>`
  const fold = html`<tr class="fold"><td colspan="${columns}"><details id="${id}">${summary}</details></td></tr>\n`
  return rows.length <= first + 1 ? rows : rows.toSpliced(first, 0, fold)
}

/** Returns a line for each item: "one", "two", "3 more". */
export function joinFirst<T>(items: readonly T[], most: number, describe: (item: T) => string): string {
  const more = items.length > most ? [`${items.length - most} more`] : []
  return [...items.slice(0, most).map(describe), ...more].join('\n')
}

/** Uses an entity: a single character beyond Latin-1 would double the page's size in memory and slow down sending. */
export const UNKNOWN = html`&ndash;`
