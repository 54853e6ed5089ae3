import type { Standing } from '../../catalog/score-distribution.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { CredentialV3, PassportV3 } from '../../domain/v3/passport.ts'
import { CATEGORIES, partOf, renderScoreBar, SCORE_PARTS } from '../design/charts.ts'
import { renderProgress } from '../design/credential-rows.ts'
import { type Html, html } from '../design/html.ts'
import { rosette } from '../design/rosette.ts'
import {
  credentialAddress,
  describeTop,
  formatFigure,
  formatOrdinal,
  renderWord,
  shortNameOf,
  shortWord,
} from '../design/text.ts'
import type { PartStandings } from '../site/standings.ts'

export type ComparedPerson = { passport: PassportV3; standing: Standing; parts: PartStandings }

export const compareAddress = (ids: readonly (number | string)[]): string =>
  ids.length === 0 ? '/compare' : `/compare?ids=${ids.join(',')}`

/** One table: a column for each person. On narrow screens it scrolls inside its frame. */
export function renderComparison(people: readonly ComparedPerson[]): Html {
  return html`<div class="compare panel" role="region" aria-label="Comparison" tabindex="0">
<table>
<thead><tr class="portraits"><td></td>${people.map(({ passport }) => html`<td>${rosette(passport.id)}</td>`)}</tr>
<tr><td></td>${people.map((person) => html`<th scope="col">${renderPerson(person, people)}</th>`)}</tr></thead>
${renderScores(people)}
${renderCredentials(people)}
${renderProfiles(people)}
</table>
</div>`
}

/** The name with its links, for the head of a column. */
export function renderPerson({ passport }: ComparedPerson, people: readonly ComparedPerson[]): Html {
  const name = shortNameOf(passport)
  const others = people.map((each) => each.passport.id).filter((id) => id !== passport.id)
  return html`<div class="row compared"><a class="clamp" href="/passports/${passport.id}"><bdi>${name}</bdi></a>
${passport.human ? html`<span class="pill">human</span>` : html``}
<a class="soft remove" href="${compareAddress(others)}">Remove<span class="unseen"> <bdi>${name}</bdi></span></a></div>`
}

const renderRow = (title: string | Html, cells: readonly Html[]) =>
  html`<tr><th scope="row">${title}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`

/** Numbers, with the highest one marked. */
function renderFigures(
  title: string | Html,
  figures: readonly (number | undefined)[],
  render: (figure: number, at: number) => Html,
): Html {
  const known = figures.filter((figure) => figure !== undefined)
  const best = Math.max(...known)
  const isClear =
    figures.length > 1 && known.filter((figure) => figure === best).length < figures.length && best > 0
  return renderRow(
    title,
    figures.map((figure, at) => {
      if (figure === undefined) return html`<span class="soft" aria-label="none">–</span>`
      return isClear && figure === best
        ? html`<strong>${render(figure, at)}</strong><span class="unseen"> highest</span>`
        : render(figure, at)
    }),
  )
}

const renderGroup = (title: string | Html, rows: readonly Html[], columns: number, part = '') =>
  html`<tbody class="${part}"><tr class="group"><th scope="colgroup" colspan="${columns + 1}">${title}</th></tr>
${rows}</tbody>`

function renderScores(people: readonly ComparedPerson[]): Html {
  const scale = Math.max(...people.map(({ passport }) => passport.scores.total))
  const rows = [
    renderFigures(
      'Score',
      people.map(({ passport }) => passport.scores.total),
      (total, at) =>
        html`<span class="large">${formatFigure(total)}</span>${renderScoreBar(people[at]?.passport.scores ?? NONE, scale)}`,
    ),
    ...SCORE_PARTS.map((part) =>
      renderFigures(
        renderPart(part),
        people.map(({ passport }) => passport.scores[part]),
        (figure, at) => html`${formatFigure(figure)}${renderTop(people[at], part)}`,
      ),
    ),
    renderRow(
      'Rank',
      people.map(({ standing }) => renderRank(standing)),
    ),
  ]
  return renderGroup('Scores', rows, people.length)
}

/** "Top 4%"; empty while the index for it is not ready. */
function renderTop(person: ComparedPerson | undefined, part: keyof PartStandings): Html {
  const words = describeTop(person?.parts[part] ?? Number.POSITIVE_INFINITY, person?.standing.total ?? 0)
  return words === '' ? html`` : html`<span class="soft detail">${words}</span>`
}

const NONE = { total: 0, activity: 0, identity: 0, skills: 0 }

function renderRank({ rank, below, total }: Standing): Html {
  if (total === 0) return html``
  const share = describeTop(total - below, total)
  return html`${formatOrdinal(Math.min(rank, total))} of ${formatFigure(total)}${share === '' ? html`` : html`<span class="soft detail">${share}</span>`}`
}

/** The swatch and its word stay on one line. */
const renderPart = (part: keyof PartStandings) =>
  html`<span class="part"><span class="swatch ${part}"></span> ${CATEGORIES[part]}</span>`

/** The rest are few points each. */
const MOST_ROWS = 40

type Types = ReadonlyMap<string, CredentialV3>

/** The types of credentials with the most points, at most `MOST_ROWS`, grouped by part of the score. */
function renderCredentials(people: readonly ComparedPerson[]): Html {
  const byType = people.map(({ passport }) => bestByType(passport.credentials ?? []))
  const types = new Map(byType.flatMap((credentials) => [...credentials]))
  const highest = (type: string) =>
    Math.max(...byType.map((credentials) => credentials.get(type)?.score ?? 0))
  const sorted = [...types.keys()].sort(
    (one, other) => highest(other) - highest(one) || (one < other ? -1 : 1),
  )
  const shown = sorted.slice(0, MOST_ROWS)
  const groups = [...SCORE_PARTS, undefined].map((part) => {
    const rows = shown.flatMap((type) => {
      const { name, category } = types.get(type) as CredentialV3
      if (partOf(category) !== part) return []
      return [renderCredential(type, shortWord(name, MAX_NAME_LENGTH) || type, byType)]
    })
    if (rows.length === 0) return html``
    return renderGroup(part ? renderPart(part) : 'Other credentials', rows, people.length, part ?? 'other')
  })
  const more = sorted.length - shown.length
  if (more === 0) return html`${groups}`
  const link = ({ passport }: ComparedPerson) => html`<a href="/passports/${passport.id}">see passport</a>`
  return html`${groups}<tbody>${renderRow(`${formatFigure(more)} more`, people.map(link))}</tbody>`
}

function renderCredential(type: string, name: string, byType: readonly Types[]): Html {
  const credentials = byType.map((each) => each.get(type))
  return renderFigures(
    html`<a href="${credentialAddress(type)}"><bdi>${name}</bdi></a>`,
    credentials.map((credential) => credential?.score),
    (score, at) => {
      const most = credentials[at]?.max_score ?? 0
      return html`${formatFigure(score)}<span class="soft"> of ${formatFigure(most)}</span>${renderProgress(score, most)}`
    },
  )
}

const MAX_NAME_LENGTH = 40

/** The credential with the most points of each folded type. */
function bestByType(credentials: readonly CredentialV3[]): Map<string, CredentialV3> {
  const best = new Map<string, CredentialV3>()
  for (const credential of credentials) {
    const type = foldName(credential.type)
    if (credential.score > (best.get(type)?.score ?? 0)) best.set(type, credential)
  }
  return best
}

const MOST_TAGS = 12

function renderProfiles(people: readonly ComparedPerson[]): Html {
  const tagsOf = ({ passport }: ComparedPerson) => new Set(passport.profile.tags.map(foldName))
  const shared = people.map(tagsOf).reduce((common, tags) => common.intersection(tags))
  const rows = [
    renderRow(
      'Place',
      people.map(({ passport }) => renderWord('place', passport.profile.location)),
    ),
    renderRow(
      'Tags',
      people.map(
        ({ passport }) =>
          html`${passport.profile.tags.slice(0, MOST_TAGS).map((tag) => {
            const word = renderWord('tag', tag)
            return people.length > 1 && shared.has(foldName(tag))
              ? html`<strong>${word}</strong><span class="unseen"> shared</span> `
              : html`${word} `
          })}`,
      ),
    ),
    renderFigures(
      'Connections',
      people.map(({ passport }) => passport.connections),
      (figure) => html`${formatFigure(figure)}`,
    ),
  ]
  return renderGroup(
    people.length > 1 && shared.size > 0 ? 'Profile (shared tags in bold)' : 'Profile',
    rows,
    people.length,
  )
}
