import { invalidParameter } from '../../core/basics/errors.ts'
import { countWhile, insertSorted } from '../../core/basics/sorted.ts'
import type { IndexQuestion } from '../../core/index/calls.ts'
import type { LiveIndex } from '../../core/index/live.ts'
import { findSlot } from '../../core/index/order.ts'
import type { PassportIndex } from '../../core/index/passport-index.ts'
import type { MoversRequest, MoversSort, Position } from '../../core/lists/list-request.ts'
import { roundScore } from '../../core/passport/credential.ts'
import type { Store } from '../../core/store/store.ts'

/**
 * `total` also counts passports after the end of the list, which has at most `MOST_LISTED`. Equal changes have the same
 * rank. A page that is not current was found before the last changes.
 */
export type MoversPage = {
  ids: number[]
  ranks: number[]
  next: Position | undefined
  total: number
  isCurrent: boolean
}

const MOST_LISTED = 1000

/** Reading a million events takes about 3.5 seconds of CPU on SQLite. */
const MOST_EVENTS = 2_000_000

/** Passports between two turns of the event loop. */
const PER_TURN = 10_000

/** The cache has the lists since this many times. */
const MOST_CACHED = 50

/** While scores change, lists are read again after this multiple of the time that reading them took. */
const REST = 20

type Lists = Record<MoversSort, ReturnType<typeof createTop>>
type CachedLists = { cursor: string; expiresAt: number; lists: Lists }
type Events = Pick<Store['events'], 'listRecent'>
type Current = { index: PassportIndex; cursor: string }

const finders = new WeakMap<LiveIndex, ReturnType<typeof createMovers>>()

/** Which scores changed since a time, by how much. The index thread answers, because it has all scores. */
export const MOVERS: IndexQuestion<MoversRequest, MoversPage> = {
  name: 'movers',
  answer(live, request) {
    const find = finders.getOrInsertComputed(live, () => createMovers(live.events))
    return find(live, request)
  },
}

/**
 * Finds passports whose score changed since a time, and new ones. Without a change of the index, lists are read once.
 */
export function createMovers(events: Events, mostEvents = MOST_EVENTS) {
  const cache = new Map<number, CachedLists>()
  /**
   * Until `expiresAt`, requests for an earlier time than `since` are refused without reading, because of too many
   * events.
   */
  let refused = { since: 0, expiresAt: 0 }

  async function read({ index, cursor }: Current, since: number): Promise<CachedLists> {
    const begin = performance.now()
    if (since < refused.since && begin < refused.expiresAt) throw tooMany(mostEvents, refused.since)
    const restEnd = () => performance.now() + REST * (performance.now() - begin)
    const earlier = await readEarlier(events, since, mostEvents)
    if ('end' in earlier) {
      refused = { since: earlier.end, expiresAt: restEnd() }
      throw tooMany(mostEvents, earlier.end)
    }
    const lists = await compareMovers(index, earlier)
    const result = { cursor, expiresAt: restEnd(), lists }
    cache.delete(since)
    cache.set(since, result)
    if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value as number)
    return result
  }

  return async (current: Current, request: MoversRequest): Promise<MoversPage> => {
    const { sort, since, after, offset = 0, limit } = request
    const cached = cache.get(since)
    const isUsable = cached && (cached.cursor === current.cursor || performance.now() < cached.expiresAt)
    const { lists, cursor } = isUsable ? cached : await read(current, since)
    const { first, total } = lists[sort]
    const valueAt = (at: number) => (first[at] as Position).value
    const begin = after ? countWhile(first.length, (at) => !isBefore(after, first[at] as Position)) : offset
    const page = first.slice(begin, begin + limit)
    return {
      ids: page.map(({ id }) => id),
      ranks: page.map(({ value }) => 1 + countWhile(first.length, (at) => valueAt(at) > value)),
      next: begin + limit < first.length ? page.at(-1) : undefined,
      total,
      isCurrent: cursor === current.cursor,
    }
  }
}

type Earlier = { before: ReadonlyMap<number, number>; added: ReadonlyMap<number, number> }

/** Compares the scores in the index with earlier ones. */
async function compareMovers(index: PassportIndex, { before, added }: Earlier): Promise<Lists> {
  const lists = { '-change': createTop(), change: createTop(), '-added': createTop() }
  let done = 0
  for (const id of new Set([...added.keys(), ...before.keys()])) {
    if (done++ % PER_TURN === 0) await new Promise(setImmediate)
    const slot = findSlot(index, id)
    if (slot === undefined) continue
    const sequence = added.get(id)
    const score = index.scores.score[slot] as number
    const change = roundScore(score - (before.get(id) ?? score))
    if (sequence !== undefined) lists['-added'].add({ value: sequence, id })
    else if (change > 0) lists['-change'].add({ value: change, id })
    else if (change < 0) lists.change.add({ value: -change, id })
  }
  return lists
}

/**
 * The scores at the time `since` of passports that have changed, and for each new passport the number of its event.
 * If there are too many events, returns the time of the newest one that is not compared.
 */
async function readEarlier(
  events: Events,
  since: number,
  mostEvents: number,
): Promise<Earlier | { end: number }> {
  const [before, added] = [new Map<number, number>(), new Map<number, number>()]
  let [end, read, oldest] = [Number.MAX_SAFE_INTEGER, 0, since]
  for (;;) {
    const page = await events.listRecent(end)
    for (const { sequence, time, passportId, isNew, oldScore } of page) {
      // A tombstone has the time 0.
      oldest = time || oldest
      if (time > 0 && time <= since) return { before, added }
      if (++read > mostEvents) return { end: oldest }
      end = sequence
      if (passportId === null) continue
      // The next event is older, so the last value is that of the first event.
      if (oldScore !== null) before.set(passportId, oldScore)
      if (isNew === 1) added.set(passportId, sequence)
    }
    if (page.length === 0) return { before, added }
    await new Promise(setImmediate)
  }
}

function tooMany(mostEvents: number, time: number) {
  const compared = `the last ${mostEvents} changes, after ${new Date(time).toISOString()}, are compared`
  return invalidParameter('since', `since must be a later time: only ${compared}.`)
}

/** The positions with the largest values; equal values by id. */
function createTop() {
  const top = {
    total: 0,
    first: [] as Position[],
    add(position: Position): void {
      top.total++
      insertSorted(top.first, position, isBefore, MOST_LISTED)
    },
  }
  return top
}

const isBefore = (a: Position, b: Position) => a.value > b.value || (a.value === b.value && a.id < b.id)
