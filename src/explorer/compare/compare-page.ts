import type { RenderedPage } from '../../api/rendered-page.ts'
import { findPage } from '../../catalog/find-list.ts'
import { findMatches, isComplete } from '../../catalog/find-matches.ts'
import { notFound } from '../../domain/errors.ts'
import { parseKeyword } from '../../domain/lists/list-request.ts'
import { type Passport, type PassportKey, parsePassportKey } from '../../domain/passport.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { type Html, html } from '../design/html.ts'
import { formatFigure, shortNameOf, shortWord } from '../design/text.ts'
import { drawPeople } from '../pictures/people-card.ts'
import type { CardOptions, ExplorerOptions, ExplorerPage } from '../site/explorer-page-types.ts'
import { respondPage } from '../site/layout-and-link-previews.ts'
import { renderSharePanel, SHARE_BUTTON } from '../site/share-panel.ts'
import type { Site } from '../site/site.ts'
import { findParts } from '../site/standings.ts'
import { type ComparedPerson, compareAddress, renderComparison } from './compare-table.ts'

/** Two to four people side by side. */
export const createComparePage = (options: ExplorerOptions): ExplorerPage => ({
  // Not cached, because reading the versions of all compared passports costs as much as rendering the page.
  async render({ query, signal, site, charge }) {
    const texts = parseIds(query)
    await charge(Math.min(texts.length, MOST_PEOPLE))
    const found = await findPeople(options, texts, signal)
    const scores = found.people.map((passport) => passport.scores)
    const parts = await findParts(options, scores, signal)
    const compare = async (passport: PassportV3, at: number): Promise<ComparedPerson> => ({
      passport,
      standing: await options.catalog.standing(passport.scores.total),
      parts: parts?.[at] ?? {},
    })
    return renderPage(site, found, await Promise.all(found.people.map(compare)))
  },
})

const MOST_PEOPLE = 4

/** Further names are not searched, because each search reads all names. People usually add one name at a time. */
const MOST_NAMES = 2

/** A text that identifies no passport, and candidates for it. `isSearched` is false if `MOST_NAMES` was exceeded. */
type Unknown = { text: string; candidates: readonly Passport[]; isSearched: boolean }

/** `top` are people to begin with, if fewer than two were requested. */
type Found = { people: PassportV3[]; unknown: Unknown[]; omitted: number; top: Passport[] }

type Reader = Pick<ExplorerOptions, 'store' | 'catalog'>
type Search = (text: string) => Promise<Passport[] | undefined>

/** `ids=1,2` and `ids=1&ids=2` are the same. Repeated and blank texts are left out. */
function parseIds(query: URLSearchParams): string[] {
  const texts = query.getAll('ids').join(',').split(',')
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
}

/** Finds up to four passports by id, wallet, handle, or a name that only one passport has. */
async function findPeople(reader: Reader, texts: readonly string[], signal: AbortSignal): Promise<Found> {
  const people = new Map<number, PassportV3>()
  const unknown: Unknown[] = []
  let names = 0
  const search = async (text: string) => (++names > MOST_NAMES ? undefined : findNamed(reader, text, signal))
  for (const text of texts.slice(0, MOST_PEOPLE)) {
    const found = await findPerson(reader, text, search)
    if ('candidates' in found) unknown.push(found)
    else people.set(found.id, found)
  }
  const top = people.size < 2 && unknown.length === 0 ? await listRanked(reader, undefined, signal) : []
  return { people: [...people.values()], unknown, omitted: Math.max(0, texts.length - MOST_PEOPLE), top }
}

const MOST_CANDIDATES = 5
const LONGEST_TEXT = 250

/** `search` finds people by name. It returns `undefined` if too many names were searched already. */
async function findPerson(reader: Reader, text: string, search: Search): Promise<PassportV3 | Unknown> {
  if (text.length > LONGEST_TEXT) return { text, candidates: [], isSearched: true }
  const key = parsePassportKey(text)
  const passport = key && (await readPassport(reader, key))
  if (passport) return passport
  const { matches } = await findMatches(reader.store, text)
  const complete = matches.filter(({ reason }) => isComplete(reason))
  // No search by name if the text is a complete wallet or handle of only one passport.
  const named = complete.length === 1 ? [] : await search(text)
  const sure = complete.length > 0 ? complete.map((match) => match.passport) : (named ?? [])
  const [only] = sure.length === 1 && (complete.length > 0 || matches.length === 0) ? sure : []
  const person = only && (await readPassport(reader, { id: only.id }))
  if (person) return person
  const all = [...matches.map((match) => match.passport), ...(named ?? [])]
  const byScore = all.toSorted((one, other) => other.scores.total - one.scores.total)
  const candidates = [...new Map(byScore.map((each) => [each.id, each])).values()].slice(0, MOST_CANDIDATES)
  return { text, candidates, isSearched: named !== undefined }
}

async function findNamed(reader: Reader, text: string, signal: AbortSignal): Promise<Passport[]> {
  const keyword = parseKeyword(text)
  return keyword === undefined ? [] : listRanked(reader, keyword, signal)
}

/** Lists people, or those whose name has the keyword, the highest scores first. */
async function listRanked(reader: Reader, keyword: string | undefined, signal: AbortSignal) {
  const request = { page: 1, size: MOST_CANDIDATES, keyword, signal }
  return (await findPage(reader, request, reader.store.passports.listByIds)).items
}

async function readPassport({ store }: Reader, key: PassportKey): Promise<PassportV3 | undefined> {
  const [found] = await store.v3.find([key], { credentials: true })
  return found && 'passport' in found ? found.passport : undefined
}

const LIST = new Intl.ListFormat('en-GB')

function renderPage(site: Site, found: Found, people: readonly ComparedPerson[]): RenderedPage {
  const listNames = (longest: number) =>
    LIST.format(people.map(({ passport }) => shortWord(shortNameOf(passport), longest)))
  const names = listNames(MAX_TEXT_LENGTH)
  const heading = listNames(people.length > 2 ? 20 : 40)
  const path = compareAddress(people.map(({ passport }) => passport.id))
  const isComplete = people.length > 1
  const isMissing = people.length === 0 && found.unknown.length > 0
  const card = `/card${path.replace('?', '.png?')}`
  const share = { path, ...(isComplete && { card, alt: names, title: `${names} compared` }) }
  const layout = {
    site,
    title: isComplete ? `${heading} compared` : 'Compare people',
    description: isComplete
      ? `Scores, ranks and credentials of ${names} side by side`
      : 'Compare the scores, ranks and credentials of two to four people',
    share,
    script: 'ranking.js',
    here: '/compare',
    main: html`<h1>${isComplete ? html`<bdi class="clamp">${heading}</bdi>` : 'Compare people'}</h1>
${isComplete ? html`<p class="row actions">${SHARE_BUTTON}</p>` : html``}
${isComplete ? renderSharePanel(share, `${share.title} on ${site.name}`, site.origin) : LEAD}
${renderNotes(found)}
${people.length < MOST_PEOPLE ? renderAddForm(people) : html``}
${found.top.length > 1 ? renderTop(found) : html``}${people.length > 0 ? renderComparison(people) : html``}`,
  } as const
  return respondPage(layout, isMissing ? 404 : 200)
}

const LEAD = html`<p class="lead">Put two to four people side by side: their scores, ranks, credentials and tags. Share the address of the page to share the comparison.</p>`

function renderTop({ top, people }: Found): Html {
  const ids = people.map(({ id }) => id)
  const others = top.filter(({ id }) => !ids.includes(id))
  const first = others.slice(0, MOST_PEOPLE).map(({ id }) => id)
  return html`<h2>Highest scores</h2>
<p>${ids.length > 0 ? 'Add one of these people.' : html`Begin with one of these people, or <a href="${compareAddress(first)}">compare the first ${first.length}</a>.`}</p>
${renderChoices(others, ids)}`
}

/** Links that add a person to the people with these ids. */
const renderChoices = (people: readonly Passport[], ids: readonly number[]): Html =>
  html`<ul class="chips">${people.map((each) => html`<li><a href="${compareAddress([...ids, each.id])}"><bdi>${shortNameOf(each)}</bdi> <span>${formatFigure(each.scores.total)}</span></a></li>`)}</ul>`

function renderNotes({ people, unknown, omitted }: Found): Html {
  const ids = people.map(({ id }) => id)
  const notes = unknown.map(({ text, candidates, isSearched }) => {
    const shown = shortWord(text, MAX_TEXT_LENGTH)
    if (candidates.length === 0)
      return html`<p class="notice">${isSearched ? html`No passport was found for “${shown}”.` : html`“${shown}” was not searched: a comparison finds ${MOST_NAMES} people by name at once. Add the others one by one.`}</p>`
    return html`<section class="notice"><p>“${shown}” may be one of these people:</p>${renderChoices(candidates, ids)}</section>`
  })
  if (omitted > 0)
    notes.push(
      html`<p class="notice">A comparison has ${MOST_PEOPLE} people at most: ${omitted} more ${omitted === 1 ? 'was' : 'were'} left out.</p>`,
    )
  return html`${notes}`
}

const MAX_TEXT_LENGTH = 60

/** Renders a form that adds a person to the URL. It works without JavaScript. */
function renderAddForm(people: readonly ComparedPerson[]): Html {
  const ids = people.map(({ passport }) => passport.id).join(',')
  return html`<form class="search" action="/compare">
<label for="search">${people.length < 2 ? 'Add a person' : 'Add another person'}</label>
${ids === '' ? html`` : html`<input type="hidden" name="ids" value="${ids}">`}<input id="search" name="ids" required maxlength="200" placeholder="Name, handle, wallet or passport number" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Add</button>
</form>
<p class="soft" role="status" data-count></p><ul class="chips" data-results data-compared="${ids}"></ul>`
}

/** The card of a comparison: `/card/compare.png?ids=7,42`, with ids only. */
export const createCompareCard = (options: CardOptions): ExplorerPage => ({
  async render(request) {
    const { query, site, signal } = request
    const ids = parseIds(query)
    if (!ids.every((text) => /^\d+$/.test(text))) throw notFound()
    const { people, unknown } = await findPeople(options, ids, signal)
    if (people.length === 0 || unknown.length > 0) throw notFound()
    const rules = await options.rules()
    return options.drawCard(request, () => drawPeople(site, { title: 'Comparison', people, rules }))
  },
})
