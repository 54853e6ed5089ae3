import type { PassportV3 } from '../../core/history/passport-state.ts'
import type { RenderedPage } from '../../core/http/rendered-page.ts'
import type { Scores } from '../../core/passport/passport.ts'
import { type FoundPeople, findPeople, MOST_PEOPLE } from '../../core/reads/search.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import { renderLevel } from '../../ui/level-mark.ts'
import { ALL_PASSPORTS } from '../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import { renderRankingList } from '../../ui/people-list.ts'
import { renderPeople } from '../../ui/rosette.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../ui/share-panel.ts'
import type { Site } from '../../ui/site.ts'
import { findParts } from '../../ui/standings.ts'
import { formatFigure, shortNameOf, shortWord } from '../../ui/text.ts'
import { type ComparedPerson, compareAddress, renderComparison } from './compare-table.ts'

/** Two to four people side by side. */
export const createComparePage = (options: ExplorerOptions): ExplorerPage => ({
  // Not cached, because reading the versions of all compared passports costs as much as rendering the page.
  async render({ query, signal, site, charge }) {
    const texts = parseIds(query)
    // Similar people of the only person cost as much as a list with a filter.
    charge(texts.length === 1 ? 3 : Math.min(texts.length, MOST_PEOPLE))
    const found = await findPeople(options, texts, signal)
    const scores = found.people.map((passport) => passport.scores)
    const parts = await findParts(options, scores, signal)
    const { levels } = await options.rules()
    const compare = async (passport: PassportV3, at: number): Promise<ComparedPerson> => ({
      passport,
      standing: await options.catalog.standing(passport.scores.total),
      parts: parts?.[at] ?? {},
      level: renderLevel(passport.scores.total, levels),
    })
    return renderPage(site, found, await Promise.all(found.people.map(compare)))
  },
})

/** `ids=1,2` and `ids=1&ids=2` are the same. Repeated and blank texts are left out. */
function parseIds(query: URLSearchParams): string[] {
  const texts = query.getAll('ids').join(',').split(',')
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
}

const LIST = new Intl.ListFormat('en-GB')

function renderPage(site: Site, found: FoundPeople, people: readonly ComparedPerson[]): RenderedPage {
  const each = people.map(({ passport }) => shortWord(shortNameOf(passport), 40))
  const names = LIST.format(each)
  const ids = people.map(({ passport }) => passport.id)
  const path = compareAddress(ids)
  const isComplete = people.length > 1
  const share = { path, ...(isComplete && { title: `${names} compared` }) }
  const layout = {
    site,
    title: share.title ?? 'Compare people',
    description: isComplete
      ? `${each.map((name, at) => `${name} ${formatFigure(people[at]?.passport.scores.total ?? 0)}`).join(', ')}. Scores, ranks and credentials side by side`
      : 'Compare the scores, ranks and credentials of two to four people',
    share,
    script: 'ranking.js',
    main: html`<div class="cover identity"><h1>${isComplete ? html`<bdi class="clamp" dir="ltr">${LIST.format(each.map((name) => name.replaceAll(' ', '\u00a0')))}</bdi>` : html`<span class="clamp">Compare ${each[0] === undefined ? 'people' : html`<bdi>${each[0]}</bdi> with others`}</span>`}</h1>
${isComplete ? html`` : html`<p class="lead">Put two to four people side by side: their scores, ranks, credentials and tags. Share the address of the page to share the comparison.</p>`}
${people.length < MOST_PEOPLE ? renderAddForm(ids) : html``}
${isComplete ? html`<p class="row actions">${SHARE_BUTTON}</p>` : html``}</div>
<p class="count" role="status" data-count></p><ul class="chips" data-results data-compared="${ids.join(',')}" data-to="${compareAddress([...ids, ''])}"></ul>
${isComplete ? renderSharePanel(share, `${share.title} on ${site.name}`, site.origin) : html``}
${renderNotes(found)}
${found.alike.length > 0 || (people.length === 0 && found.top.length > 1) ? renderTop(found) : html``}${isComplete ? renderComparison(people) : html``}`,
  } as const
  return respondPage(layout, people.length === 0 && found.unknown.length > 0 ? 404 : 200)
}

function renderTop({ top, alike, people }: FoundPeople): Html {
  const ids = people.map(({ id }) => id)
  const first = top.slice(0, MOST_PEOPLE).map(({ id }) => id)
  if (alike.length > 0)
    return html`<h2>Similar people</h2>
<p>Add one of these people, who share a tag and have the nearest scores, or <a href="${compareAddress([...ids, ...alike.map(({ id }) => id)])}">all</a>.</p>
${renderPeople(alike, (id) => compareAddress([...ids, id]))}`
  const rankOf = ({ total }: Scores) => top.findIndex(({ scores }) => scores.total === total) + 1
  const ranked = top.map((passport) => ({ passport, rank: rankOf(passport.scores) }))
  return html`<h2>Highest scores</h2>
<p>Select two to four people, or <a href="${compareAddress(first)}">compare the first ${first.length}</a>.</p>
${renderRankingList({ ranked, scale: top[0]?.scores.total ?? 0, query: ALL_PASSPORTS })}`
}

function renderNotes({ unknown, omitted }: FoundPeople): Html {
  const notes = unknown.map((text) => {
    const search = `/?${new URLSearchParams({ q: text.slice(0, 200).toWellFormed() })}`
    return html`<p class="notice">“${shortWord(text, 60)}” is not the id, wallet or handle of one passport. <a href="${search}">Search for a name</a>, and select people there.</p>`
  })
  if (omitted > 0)
    notes.push(
      html`<p class="notice">A comparison has ${MOST_PEOPLE} people at most: ${omitted} more ${omitted === 1 ? 'was' : 'were'} left out.</p>`,
    )
  return html`${notes}`
}

/** Renders a form that adds a person to the URL. It works without JavaScript. */
function renderAddForm(ids: readonly number[]): Html {
  return html`<form class="search" action="/compare">
<label for="search">${ids.length < 2 ? 'Add a person' : 'Add another person'}</label>
${ids.length === 0 ? html`` : html`<input type="hidden" name="ids" value="${ids.join(',')}">`}<input id="search" name="ids" required maxlength="200" placeholder="Name, handle or wallet" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Add</button>
</form>`
}
