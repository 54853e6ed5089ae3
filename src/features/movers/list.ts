import { checkKnown, type Fields, fieldsOf, parsePast } from '../../core/api/parameters.ts'
import { PAGE_BYTES, readAll, renderPassports, unitsOfPassports } from '../../core/api/read-passports.ts'
import { V3 } from '../../core/api/surface.ts'
import { ClientGone, invalidParameter } from '../../core/basics/errors.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { presentDiff, presentTime } from '../../core/history/present-event.ts'
import { readDiff } from '../../core/history/read-later.ts'
import type { ScoreDiff } from '../../core/history/score-diff.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { sendPage } from '../../core/http/rendered-page.ts'
import { type Context, route } from '../../core/http/route.ts'
import {
  DEFAULT_LIMIT,
  formatCursor,
  MOVERS_SORTS,
  type MoversRequest,
  type MoversSort,
  parseCursor,
  parseLimit,
  parseSort,
} from '../../core/lists/list-request.ts'
import { LIST_PARAMETERS, type ListParameters, linkTo, toPage } from '../passports/list.ts'
import { MOVERS } from './find-movers.ts'

/** The causes of a change need credentials and events, so that fewer passports fit on a page. */
const LARGEST_MOVERS_LIMIT = 50
/** Another `since` may need all events since then. Reading 300,000 of them takes about 200 ms. */
const MOVERS_UNITS = 200
const MOST_DAYS = 31

/** Cannot be combined with a sort of movers. */
const OTHER_PARAMETERS = ['q', 'filter', 'group_by', 'group_prefix', 'after'] as const

export type Mover = { passport: PassportV3; diff: ScoreDiff; rank: number }

/** Finds a page of movers and the causes, without those that changed back or were merged meanwhile. */
export async function findMovers(
  { index, store }: Pick<Context, 'index' | 'store'>,
  { signal, ...request }: MoversRequest & { signal?: AbortSignal },
) {
  const { sort, since } = request
  const check = (knownSince: number) => {
    // Reading all events of a page of passports may take seconds.
    if (signal?.aborted) throw new ClientGone()
    checkKnown('since', since, knownSince)
  }
  check((await store.events.log()).knownSince)
  const { ids, ranks, ...page } = await index.ask(MOVERS, request, signal)
  const nextTurn = () => new Promise<void>(setImmediate)
  const keys = ids.map((id) => ({ id }))
  const results = readAll(keys, (some) => store.passports.findByKeys(some, { credentials: true }), nextTurn)
  const movers: Mover[] = []
  for (const [at, result] of (await Array.fromAsync(results)).entries()) {
    if (!result || !('passport' in result)) continue
    const { passport } = result
    const diff = await readDiff(store.events, passport, { from: since, to: Number.MAX_SAFE_INTEGER }, check)
    if (passport.id === ids[at] && sortOf(diff) === sort)
      movers.push({ passport, diff, rank: ranks[at] ?? 0 })
  }
  return { ...page, movers }
}

function sortOf({ score: [before, after] }: ScoreDiff): MoversSort {
  if (before === null) return '-added'
  return (after ?? 0) > before ? '-change' : 'change'
}

/** The list of passports by a change of their score since a time. */
export const listOfMovers = route(V3, {
  name: 'v3_list',
  path: '/api/v3/passports',
  isFor: isByChange,
  query: LIST_PARAMETERS,
  async handle(request, context, parameters) {
    const fields = fieldsOf(parameters)
    await takeTurn(context, PAGE_BYTES)
    const list = await renderMovers(context, parameters, fields)
    return sendPage(request, context, toPage(linkTo, parameters, list))
  },
})

/** Must not throw, because it selects the route. */
function isByChange({ url }: Request): boolean {
  const query = new URLSearchParams(url.split('?', 2)[1])
  return query.has('since') || MOVERS_SORTS.some((sort) => sort === query.get('sort'))
}

async function renderMovers(context: Context, parameters: ListParameters, fields: Fields) {
  const { limit: size, cursor } = parameters
  const [sort, since] = [parseMoversSort(parameters), parseSince(parameters.since, context.now())]
  const limit = parseLimit(size, DEFAULT_LIMIT, LARGEST_MOVERS_LIMIT, ['causes'])
  // Binds cursors to the sort and the time.
  const query = { keyword: `${sort} ${since}`, filter: [], sort: parseSort() }
  const after = cursor === undefined ? undefined : parseCursor(query, cursor)
  context.charge(MOVERS_UNITS + unitsOfPassports(5 * limit, fields))
  const { signal } = context.request
  const { items, next, total } = await renderFitting(context, { sort, since, limit, after, signal }, fields)
  return { items, next: next ? formatCursor(query, next) : null, total }
}

/** Renders a page. If it would be too large, renders the shorter page that fits, whose position continues after it. */
async function renderFitting(
  context: Context,
  request: MoversRequest & { signal: AbortSignal },
  fields: Fields,
) {
  for (let { limit } = request; ; ) {
    const { movers, next, total } = await findMovers(context, { ...request, limit })
    const results = await renderFound(context, movers, request.since, fields)
    if (results.length === movers.length)
      return {
        items: results.flatMap((result) => (result && 'json' in result ? [result.json] : [])),
        next,
        total,
      }
    limit = results.length
  }
}

function renderFound(context: Context, movers: readonly Mover[], since: number, fields: Fields) {
  const passports = movers.map(({ passport: { credentials, ...passport } }) => ({
    passport: fields.includes.has('credentials') && credentials ? { ...passport, credentials } : passport,
  }))
  const times = { from: since, to: context.now() }
  const changes = new Map(
    movers.map(({ passport: { id }, diff }) => [id, presentDiff(id, times, diff)] as const),
  )
  return renderPassports(context, passports, fields, { changes, most: PAGE_BYTES })
}

/** Throws `invalid_request`, also if the parameters contradict each other. */
function parseMoversSort(parameters: ListParameters): MoversSort {
  const sort = MOVERS_SORTS.find((name) => name === parameters.sort)
  if (!sort) throw invalidParameter('since', `since needs sort to be one of ${MOVERS_SORTS.join(', ')}.`)
  const other = OTHER_PARAMETERS.find((name) => parameters[name] !== undefined)
  if (other) throw invalidParameter(other, `${other} cannot be combined with sort=${sort}.`)
  return sort
}

/** Throws `invalid_request`. */
function parseSince(text: string | undefined, now: number): number {
  const accepted = `at most ${MOST_DAYS} days ago`
  if (text === undefined)
    throw invalidParameter(
      'since',
      `A list by ${MOVERS_SORTS.join(', ')} needs since: a day or a time ${accepted}.`,
    )
  const since = parsePast('since', text, now)
  if (since >= now - MOST_DAYS * 86_400_000) return since
  throw invalidParameter('since', `since must be ${accepted}, got ${presentTime(since)}.`)
}
