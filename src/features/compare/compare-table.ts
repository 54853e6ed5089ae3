import { foldName } from '../../core/basics/text/fold-name.ts'
import type { CredentialV3, PassportV3 } from '../../core/history/passport-state.ts'
import type { Standing } from '../../core/passport/passport.ts'
import { CATEGORIES, partOf, renderScoreBar, SCORE_PARTS, type ScorePart } from '../../ui/charts.ts'
import { foldRows, linkToType, renderProgress } from '../../ui/credential-rows.ts'
import { type Html, html } from '../../ui/html.ts'
import { rosette } from '../../ui/rosette.ts'
import * as text from '../../ui/text.ts'

export type ComparedPerson = { passport: PassportV3; standing: Standing; level: Html }

type People = readonly ComparedPerson[]

/** The six rows of scores are not folded. Types beyond `MOST_ROWS` have few points each. */
const [FIRST_ROWS, MOST_ROWS, MOST_TAGS] = [6, 40, 12]

export const compareAddress = (ids: readonly (number | string)[]): string =>
  ids.length === 0 ? '/compare' : `/compare?ids=${ids.join(',')}`

/** One table: a column for each person. On narrow screens, the title of a row is above its cells. */
export function renderComparison(people: People): Html {
  const renderHead = (cells: readonly Html[]) => html`<tr><td></td>${cells}</tr>\n`
  const isLong = people.some(({ passport }) => passport.scores.total >= 1e6)
  return html`<div class="compare panel">
<table${isLong && html` class="long"`}>
<thead>
${renderHead(people.map((person) => html`<td>${renderMarks(person, people)}</td>`))}
${renderHead(people.map(renderNameCell))}</thead>
${renderScores(people)}
${renderCredentials(people)}
${renderProfiles(people)}
</table>
</div>`
}

function renderNameCell({ passport }: ComparedPerson): Html {
  const name = html`<bdi>${text.renderName(text.nameOf(passport))}</bdi>`
  return html`<th scope="col"><a class="clamp compared" href="/passports/${passport.id}">${name}</a></th>`
}

function renderMarks({ passport }: ComparedPerson, people: People): Html {
  const others = people.map((person) => person.passport.id).filter((id) => id !== passport.id)
  const label = html`<span class="unseen">Remove <bdi>${text.shortNameOf(passport)}</bdi></span>`
  const cross = html`<span aria-hidden="true">&times;</span>`
  const remove = html`<a class="remove" href="${compareAddress(others)}" title="Remove">${label}${cross}</a>`
  return html`<div class="row">${rosette(passport.id)}${remove}</div>`
}

const renderRow = (title: string | Html, cells: readonly Html[]) =>
  html`<tr><th scope="row">${title}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`

const NONE = html`<span class="soft" aria-label="none">–</span>`

/** A row of numbers with the highest one marked, unless all are equal. */
function renderFigures(title: string | Html, figures: readonly (Figure | undefined)[]): Html {
  const best = Math.max(0, ...figures.map((own) => own?.figure ?? 0))
  const isClear = best > 0 && figures.some((own) => own?.figure !== best)
  const cells = figures.map((own) => {
    const isBest = isClear && own?.figure === best
    return isBest
      ? html`<strong>${own.cell}</strong><span class="unseen"> highest</span>`
      : (own?.cell ?? NONE)
  })
  return renderRow(title, cells)
}

type Figure = { figure: number; cell: Html }

const renderCategory = (title: string | Html, rows: readonly Html[], { length }: People, part = '') =>
  html`<tbody class="${part}">
<tr class="group"><th scope="colgroup" colspan="${length + 1}">${title}</th></tr>
${foldRows(rows, FIRST_ROWS, `more-${part}`, length + 1)}</tbody>`

function renderScores(people: People): Html {
  const scale = Math.max(...people.map(({ passport }) => passport.scores.total))
  const totals = people.map(({ passport: { scores } }) => ({
    figure: scores.total,
    cell: html`<span class="large">${text.formatFigure(scores.total)}</span>${renderScoreBar(scores, scale)}`,
  }))
  const parts = SCORE_PARTS.map((part) => {
    const cells = people.map(({ passport, standing }) => {
      const figure = passport.scores[part]
      const ahead = text.describeAhead(standing[part])
      return { figure, cell: html`${text.formatFigure(figure)}<span class="soft detail">${ahead}</span>` }
    })
    return renderFigures(renderPartName(part), cells)
  })
  const ranks = people.map(
    ({ standing: { total } }) => html`${text.formatOrdinal(Math.min(total.rank, total.total))}`,
  )
  const rank = renderRow(`Rank among ${text.formatFigure(people[0]?.standing.total.total ?? 0)}`, ranks)
  const levels = people.map(({ level }) => level)
  const level = renderRow(html`<a href="/about#levels">Level</a>`, levels)
  const rows = [renderFigures('Score', totals), rank, level, ...parts]
  return renderCategory('Scores', rows, people)
}

/** The swatch and its word stay on one line. */
const renderPartName = (part: ScorePart) =>
  html`<span class="part"><span class="swatch ${part}"></span> ${CATEGORIES[part]}</span>`

/** The types of credentials with the most points, at most `MOST_ROWS`, grouped by part of the score. */
function renderCredentials(people: People): Html {
  const byType = people.map(({ passport }) => bestByType(passport.credentials ?? []))
  const types = new Map(byType.flatMap((credentials) => [...credentials]))
  const highest = (type: string) =>
    Math.max(...byType.map((credentials) => credentials.get(type)?.score ?? 0))
  const sorted = [...types.keys()].sort((a, b) => highest(b) - highest(a) || (a < b ? -1 : 1))
  const first = sorted.slice(0, MOST_ROWS)
  const groups = [...SCORE_PARTS, undefined].map((part) => {
    const rows = first.flatMap((type) => {
      const { name, category } = types.get(type) as CredentialV3
      if (partOf(category) !== part) return []
      const title = { markup: linkToType(type, text.shortWord(name, MAX_NAME_LENGTH)) }
      const figures = byType.map((credentials) => toFigure(credentials.get(type)))
      return renderFigures(title, figures)
    })
    if (rows.length === 0) return html``
    return renderCategory(part ? renderPartName(part) : 'Other credentials', rows, people, part ?? 'other')
  })
  const more = sorted.length - first.length
  if (more === 0) return html`${groups}`
  const link = ({ passport }: ComparedPerson) => html`<a href="/passports/${passport.id}">see passport</a>`
  return html`${groups}<tbody>${renderRow(`${text.formatFigure(more)} more`, people.map(link))}</tbody>`
}

function toFigure(credential: CredentialV3 | undefined): Figure | undefined {
  if (!credential) return undefined
  const { score, max_score } = credential
  const most = html`<span class="soft"> of ${text.formatFigure(max_score)}</span>`
  return { figure: score, cell: html`${text.formatFigure(score)}${most}${renderProgress(score, max_score)}` }
}

const MAX_NAME_LENGTH = 40

/** For each folded type, returns the credential with the most points. */
function bestByType(credentials: readonly CredentialV3[]): Map<string, CredentialV3> {
  const best = new Map<string, CredentialV3>()
  for (const credential of credentials) {
    const type = foldName(credential.type)
    if (credential.score > (best.get(type)?.score ?? 0)) best.set(type, credential)
  }
  return best
}

function renderProfiles(people: People): Html {
  const tagsOf = ({ passport }: ComparedPerson) => new Set(passport.profile.tags.map(foldName))
  const shared = people.map(tagsOf).reduce((all, tags) => all.intersection(tags))
  const places = people.map(({ passport }) => text.renderWord('location', passport.profile.location))
  const tags = people.map(({ passport }) => {
    const words = passport.profile.tags.slice(0, MOST_TAGS).map((tag) => {
      const word = text.renderWord('tag', tag)
      return shared.has(foldName(tag))
        ? html`<strong>${word}</strong><span class="unseen"> shared</span> `
        : html`${word} `
    })
    return html`${words}`
  })
  const humans = people.map(({ passport }) => (passport.human ? html`<span class="pill">human</span>` : NONE))
  const rows = [renderRow('Human', humans), renderRow('Place', places), renderRow('Tags', tags)]
  return renderCategory(shared.size > 0 ? 'Profile (shared tags in bold)' : 'Profile', rows, people)
}
