import { type ExplorerOptions, type ExplorerPage, file, POLICY } from '../explorer-page.ts'
import { shortNameOf } from '../format.ts'
import { type Html, html } from '../html.ts'
import { renderLayout } from '../layout.ts'
import { createPartStandings } from '../passport/part-standings.ts'
import { shortWord } from '../sanitize.ts'
import type { Site } from '../site/site.ts'
import { type ComparedPerson, compareAddress, renderComparison } from './compare-table.ts'
import { type Found, findPeople, MOST_PEOPLE, parseIds } from './find-people.ts'

/** Two to four people side by side. */
export function createComparePage(options: ExplorerOptions): ExplorerPage {
  const partStandings = createPartStandings(options.catalog)
  return {
    // Not cached: reading the versions of all its passports costs as much as the page.
    version: () => undefined,
    async render({ query, signal, site }) {
      const found = await findPeople(options, parseIds(query), signal)
      const people: ComparedPerson[] = []
      for (const passport of found.people) {
        const standing = await options.catalog.standing(passport.scores.total)
        people.push({ passport, standing, parts: await partStandings.find(passport.scores) })
      }
      const isMissing = found.people.length === 0 && found.unknown.length > 0
      return file('text/html', renderPage(site, found, people), POLICY.explorer, isMissing ? 404 : 200)
    },
  }
}

function renderPage(site: Site, found: Found, people: readonly ComparedPerson[]): string {
  const names = people.map(({ passport }) => shortNameOf(passport))
  const title = people.length > 1 ? names.join(' and ') : 'Compare people'
  return renderLayout({
    site,
    title: people.length > 1 ? `${title} compared` : title,
    description:
      people.length > 1
        ? `Scores, ranks and credentials of ${names.join(', ')} side by side`
        : 'Compare the scores, ranks and credentials of two to four people',
    share: { path: compareAddress(people.map(({ passport }) => passport.id)) },
    here: '/compare',
    main: html`<h1>Compare people</h1>
${people.length < 2 ? LEAD : html``}
${renderNotes(found)}
${people.length === 0 ? html`` : renderComparison(people)}
${people.length < MOST_PEOPLE ? renderAddForm(people) : html``}`,
  })
}

const LEAD = html`<p class="lead">Put two to four people side by side: their scores, ranks, credentials and tags. Share the address of the page to share the comparison.</p>`

function renderNotes({ people, unknown, omitted }: Found): Html {
  const ids = people.map(({ id }) => id)
  const notes = unknown.map(({ text, candidates }) => {
    const shown = shortWord(text, MAX_TEXT_LENGTH)
    if (candidates.length === 0) return html`<p class="notice-line">No passport was found for “${shown}”.</p>`
    return html`<p class="notice-line">“${shown}” may be ${candidates.map(
      (candidate, at) =>
        html`${at === 0 ? '' : at === candidates.length - 1 ? ' or ' : ', '}<a href="${compareAddress([...ids, candidate.id])}"><bdi>${shortNameOf(candidate)}</bdi></a>`,
    )}.</p>`
  })
  if (omitted > 0)
    notes.push(
      html`<p class="notice-line">A comparison has ${MOST_PEOPLE} people at most: ${omitted} more ${omitted === 1 ? 'was' : 'were'} left out.</p>`,
    )
  return html`${notes}`
}

const MAX_TEXT_LENGTH = 60

/** Adds a person to the address; works without JavaScript. */
function renderAddForm(people: readonly ComparedPerson[]): Html {
  const ids = people.map(({ passport }) => passport.id).join(',')
  return html`<form class="search" action="/compare">
<label for="add">${people.length === 0 ? 'Add a person' : 'Add another person'}</label>
${ids === '' ? html`` : html`<input type="hidden" name="ids" value="${ids}">`}<input id="add" name="ids" required maxlength="200" placeholder="Name, handle, wallet or passport number" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Add</button>
</form>`
}
