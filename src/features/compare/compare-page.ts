import { invalidParameter, notFound } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import type { RenderedPage } from '../../core/http/rendered-page.ts'
import type { Standing } from '../../core/passport/passport.ts'
import { listWithCredentials } from '../../core/reads/passports.ts'
import { createStyle, SHARE } from '../../ui/assets-and-csp.ts'
import { html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import { renderLevel } from '../../ui/level-mark.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../ui/share-panel.ts'
import type { Site } from '../../ui/site.ts'
import { formatFigure, shortNameOf, shortWord } from '../../ui/text.ts'
import style from './compare.css' with { type: 'text' }
import { type ComparedPerson, compareAddress, renderComparison } from './compare-table.ts'

const MOST_PEOPLE = 4

export const COMPARE_STYLE = createStyle('compare.css', style)

export const createComparePage = (options: ExplorerOptions): ExplorerPage => ({
  // Not cached, because reading the versions of all compared passports costs as much as rendering the page.
  async render({ query, signal, site, charge }) {
    const ids = parseIds(query)
    charge(ids.length)
    const people = await listWithCredentials(options, ids)
    if (ids.length > 0 && people.length === 0) throw notFound()
    if (people.length < 2) return renderStart(site, people[0])
    const scores = people.map((passport) => passport.scores)
    const standings = await options.index.call('standings', scores, signal)
    const { levels } = await options.rules()
    const compared = people.map((passport, at): ComparedPerson => {
      const level = renderLevel(passport.scores.total, levels)
      return { passport, standing: standings[at] as Standing, level }
    })
    return renderPage(site, compared)
  },
})

/** `ids=1,2` and `ids=1&ids=2` are the same. Throws `invalid_request`. */
function parseIds(query: URLSearchParams): number[] {
  const text = query.getAll('ids').join(',')
  const texts = text.split(',').flatMap((part) => part.trim() || [])
  const ids = [...new Set(texts.map(Number))]
  if (ids.length <= MOST_PEOPLE && texts.every((id) => /^\d{1,15}$/.test(id))) return ids
  throw invalidParameter(
    'ids',
    `ids must be at most ${MOST_PEOPLE} numbers of passports, got ${quote(text)}.`,
  )
}

const nameInTitle = (passport: PassportV3) => shortWord(shortNameOf(passport), 40)

/** The script selects the person in the list to which the link leads. */
function renderStart(site: Site, person: PassportV3 | undefined): RenderedPage {
  const heading = person ? html`Compare <bdi>${nameInTitle(person)}</bdi> with others` : html`Compare people`
  return respondPage({
    site,
    title: 'Compare people',
    description: 'Compare the scores, ranks and credentials of two to four people',
    share: { path: compareAddress(person ? [person.id] : []) },
    main: html`<div class="cover identity">
<h1><span class="clamp">${heading}</span></h1>
<p class="lead">Select two to four people in the list to see their scores, ranks, credentials and tags side by side.</p>
<p class="row actions"><a class="button" href="/" data-select="${person?.id ?? ''}">Select people</a></p>
</div>`,
  })
}

const LIST = new Intl.ListFormat('en-GB')

function renderPage(site: Site, people: readonly ComparedPerson[]): RenderedPage {
  const passports = people.map(({ passport }) => passport)
  const names = passports.map(nameInTitle)
  const title = `${LIST.format(names)} compared`
  const scores = passports.map(({ scores }, at) => `${names[at]} ${formatFigure(scores.total)}`)
  const ids = passports.map(({ id }) => id)
  const share = { path: compareAddress(ids), title }
  const heading = LIST.format(names.map((name) => name.replaceAll(' ', '\u00a0')))
  const add = html` <a class="button quiet" href="/" data-select="${ids.join(',')}">Add people</a>`
  return respondPage({
    site,
    title,
    description: `${scores.join(', ')}. Scores, ranks and credentials side by side`,
    share,
    head: html`<link rel="stylesheet" href="${COMPARE_STYLE.url}">\n`,
    script: SHARE,
    main: html`<div class="cover identity">
<h1><bdi class="clamp" dir="ltr">${heading}</bdi></h1>
<p class="row actions">${SHARE_BUTTON}${people.length < MOST_PEOPLE && add}</p>
</div>
${renderSharePanel(share, `${title} on ${site.name}`, site.origin)}
${renderComparison(people)}`,
  })
}
