import { notFound } from '../../../core/basics/errors.ts'
import { countList } from '../../../ui/layout.ts'
import { addressOf, parseRankingQuery } from '../../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { FIGURES } from '../../../ui/people-list.ts'
import { formatDay } from '../../../ui/text.ts'
import { PNG_UNITS } from '../../pictures/cards.ts'
import { drawableText } from '../../pictures/drawable-text.ts'
import { describeTime, drawPeople } from '../../pictures/people-card.ts'
import { createFacetReader } from './facets.ts'
import { findRanking } from './find-ranking.ts'
import { describeList } from './ranking-page.ts'

/** The card of a filtered list, with its first three people: `/card/list.png` with the parameters of the list. */
export function createListCard(options: ExplorerOptions): ExplorerPage {
  const facets = createFacetReader(options)
  const parse = (query: URLSearchParams) => ({ ...parseRankingQuery(query), page: 1 })
  return {
    cacheKey: async ({ query }) =>
      [addressOf(parse(query)), (await options.rules()).stamp, formatDay(options.now())].join(' '),
    async render(request) {
      const { site, signal } = request
      const list = parse(request.query)
      // A search and an evaluation of the index cost as much as in the page of the list.
      await request.charge(PNG_UNITS + 4)
      const requests = await facets.requestsFor(list)
      const found = await findRanking(options, list, requests, signal)
      const first = found.ranked.slice(0, 3).map(async ({ passport: { id, scores }, note }) => {
        const passport = await options.store.passports.find({ id })
        return passport && { ...passport, scores, note }
      })
      const people = (await Promise.all(first)).filter((passport) => passport !== undefined)
      if (people.length === 0) throw notFound()
      const filters = await facets.presentFilters(list, requests, found)
      const counted = `${found.total > 3 ? 'Top 3 of ' : ''}${countList(describeList(list, filters), found.total)}`
      const title = drawableText(counted, site.fonts) || `${found.total} people`
      const figures = list.sort === 'total' ? 'Passport scores' : FIGURES[list.sort]
      const words = describeTime(site, options.now(), figures)
      const card = { title, words, people, rules: await options.rules(), scale: found.scale }
      return request.drawCard(() => drawPeople(site, card))
    },
  }
}
