import { invalidParameter } from '../../domain/errors.ts'
import {
  DEFAULT_LIMIT,
  formatCursor,
  MOVERS_SORTS,
  type MoversRequest,
  type MoversSort,
  parseCursor,
  parseLimit,
} from '../../domain/lists/list-request.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { presentChange, presentTime } from '../../domain/v3/present-event.ts'
import { type RecentDiff, readDiffs } from '../../store/read-later-events.ts'
import type { Awaitable } from '../../store/store.ts'
import { takeTurn } from '../backpressure/turns-and-large-pages.ts'
import type { Context } from '../route.ts'
import { checkKnown, type Fields, parsePast } from './parameters.ts'
import { readAll, renderPassports, unitsOfPassports } from './read-passports.ts'

/** The causes of a change need credentials and events, so that fewer passports fit on a page. */
const LARGEST_MOVERS_LIMIT = 50

/** Reading the events costs more, but the search thread does it at most once for each state of the ranking. */
const MOVERS_UNITS = 10

const MOST_DAYS = 31

/** `diff` compares the scores at `since` and now. */
export type Mover = { passport: PassportV3; diff: RecentDiff }

/** Finds a page of movers with the causes. Those whose score has changed back meanwhile are left out. */
export async function findMovers(
  { catalog, store }: Pick<Context, 'catalog' | 'store'>,
  request: MoversRequest & { signal?: AbortSignal },
  nextTurn: () => Awaitable<void>,
) {
  const { sort, since } = request
  checkKnown('since', since, (await store.events.log()).knownSince)
  const { ids, next, total } = await catalog.movers(request)
  const keys = ids.map((id) => ({ id }))
  const read = (some: readonly { id: number }[]) => store.v3.find(some, { credentials: true })
  const found = await Array.fromAsync(readAll(keys, read, nextTurn))
  // The id of a merged passport finds another passport: the one that it was merged into.
  const passports = found.flatMap((result, at) =>
    result && 'passport' in result && result.passport.id === ids[at] ? [result.passport] : [],
  )
  const diffs = await readDiffs(store.events, passports, since, (known) => checkKnown('since', since, known))
  const movers = passports.flatMap((passport): Mover[] => {
    const diff = diffs.get(passport.id)
    return diff && sortOf(diff) === sort ? [{ passport, diff }] : []
  })
  return { movers, next, total }
}

function sortOf({ score: [before, after] }: RecentDiff): MoversSort {
  if (before === null) return '-added'
  return (after ?? 0) > before ? '-change' : 'change'
}

type Parameters = Readonly<Record<string, string | undefined>>

/** Whether the parameters ask for movers. Throws `invalid_request` if other parameters contradict that. */
export function asksForMovers(parameters: Parameters): boolean {
  const { sort, since } = parameters
  const isMovers = MOVERS_SORTS.some((each) => each === sort)
  if (!isMovers && since !== undefined)
    throw invalidParameter('since', `since needs sort to be one of ${MOVERS_SORTS.join(', ')}.`)
  const other =
    isMovers && ['q', 'filter', 'group_by', 'after'].find((name) => parameters[name] !== undefined)
  if (other) throw invalidParameter(other, `${other} cannot be combined with sort=${sort}.`)
  return isMovers
}

/** Renders the items of a page of movers. */
export async function renderMovers(
  context: Context,
  { sort, since, limit, cursor }: Parameters,
  fields: Fields,
) {
  const now = context.now()
  const query = { filter: [], sort: [sort as MoversSort, parseSince(since, now)] as const }
  const page = {
    sort: query.sort[0],
    since: query.sort[1],
    limit: parseLimit(limit, DEFAULT_LIMIT, LARGEST_MOVERS_LIMIT, ['causes']),
    after: cursor === undefined ? undefined : parseCursor(query, cursor),
  }
  await context.charge(
    MOVERS_UNITS + unitsOfPassports(page.limit, CREDENTIALS, true) + unitsOfPassports(page.limit, fields),
  )
  const { movers, next, total } = await findMovers(
    context,
    { ...page, signal: context.exchange.request.signal },
    () => takeTurn(context),
  )
  const found = movers.map(({ passport: { credentials, ...passport } }) => ({
    passport: fields.includes.has('credentials') && credentials ? { ...passport, credentials } : passport,
  }))
  const changes = new Map(movers.map(({ passport, diff }) => [passport.id, presentChange(page.since, diff)]))
  const results = await renderPassports(context, found, fields, { changes })
  const items = results.flatMap((result) => (result && 'json' in result ? [result.json] : []))
  return { items, next: next ? formatCursor(query, next) : null, total }
}

const CREDENTIALS: Fields = { includes: new Set(['credentials']), selection: undefined }

/** Throws `invalid_request`. */
function parseSince(text: string | undefined, now: number): number {
  if (text === undefined)
    throw invalidParameter(
      'since',
      `A list by ${MOVERS_SORTS.join(', ')} needs since: a day such as 2026-10-01, or a time.`,
    )
  const since = parsePast('since', text, now)
  const earliest = now - MOST_DAYS * 86_400_000
  if (since >= earliest) return since
  throw invalidParameter(
    'since',
    `since must be at most ${MOST_DAYS} days ago, which is ${presentTime(earliest)}, got ${presentTime(since)}.`,
  )
}
