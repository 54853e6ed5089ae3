import { type Awaitable, andThen } from '../basics/awaitable.ts'
import type { ScoreState } from '../history/event.ts'
import type { WireDiff } from '../history/event-schema.ts'
import { type PassportV3, stateOf, toPassportAt } from '../history/passport-state.ts'
import { readLater } from '../history/read-later.ts'
import { undo } from '../history/undo.ts'
import { takeTurn } from '../http/byte-budget.ts'
import type { Context } from '../http/route.ts'
import type { PassportKey, Standing } from '../passport/passport.ts'
import type { Explanation } from '../passport/rules/explanation.ts'
import type { FindByKeys, FindOptions, KeyResult } from '../store/rows/passport.ts'
import type { Store } from '../store/store.ts'
import { checkKnown, type Fields, type Include } from './parameters.ts'
import { presentExplanation, presentPassport, presentStanding } from './present.ts'
import type { WireStanding } from './schemas.ts'

/** A passport as JSON, the ids of several passports that share the handle, or `undefined` if none was found. */
export type RenderedResult = { passport: PassportV3; json: string } | { candidates: number[] } | undefined

/** Passports that are rendered in one turn of the event loop. */
const PER_TURN = 50

/**
 * With explanations, a read renders at most this many bytes, but at least one passport. The caller reads the rest in
 * further calls. The store limits the bytes of other reads.
 */
const READ_BYTES = 512 * 1024

/** A page ends before this size, but has at least one passport. */
export const PAGE_BYTES = 2 * 1024 * 1024

/**
 * Returns the results of the first keys, in order. The store decides how many keys it reads, but reads at least one.
 * `asOf` is a time in the past; past standings and explanations are unknown.
 */
export const readPassports = (
  context: Context,
  keys: readonly PassportKey[],
  fields: Fields,
  { asOf, standings }: { asOf?: number | undefined; standings?: Standings | undefined } = {},
): Awaitable<RenderedResult[]> =>
  andThen(findAt(context, keys, { credentials: fields.includes.has('credentials') }, asOf), (results) =>
    renderPassports(context, results, fields, { isPast: asOf !== undefined, standings }),
  )

type Options = {
  isPast?: boolean
  standings?: Standings | undefined
  changes?: ReadonlyMap<number, WireDiff>
  most?: number
}

type Render = (passport: PassportV3, explanation?: Explanation) => string

/** Renders the first passports, up to `most` bytes, but at least one. `changes` are those of movers, by id. */
export function renderPassports(
  context: Context,
  results: KeyResults,
  fields: Fields,
  { isPast = false, standings, changes, most }: Options,
): Awaitable<RenderedResult[]> {
  const { includes, selection } = fields
  const passports = passportsOf(results)
  const isExplained = includes.has('explanation') && !isPast
  const isRanked = includes.has('standing') && !isPast
  return andThen(isRanked ? (standings ?? findStandings(context, passports)) : undefined, (standings) =>
    andThen(context.findDigests(passports.map(({ rules }) => rules)), (digests) => {
      const render: Render = (passport, explanation) => {
        const change = changes?.get(passport.id)
        const wire = presentPassport(passport, {
          ...(includes.has('standing') && { standing: standings?.get(passport.id) ?? null }),
          ...(includes.has('explanation') && {
            explanation: explanation ? presentExplanation(explanation, passport.scores.total) : null,
          }),
          rules_digest: digests.get(passport.rules) ?? null,
          ...(change && { change }),
        })
        return JSON.stringify(selection ? pick(wire, selection) : wire)
      }
      const isShort = results.length === 1 && !isExplained
      return isShort
        ? results.map((result) => toRendered(result, render))
        : renderInTurns(context, results, render, { isExplained, most })
    }),
  )
}

async function renderInTurns(
  context: Context,
  results: KeyResults,
  render: Render,
  {
    isExplained,
    most = isExplained ? READ_BYTES : Number.POSITIVE_INFINITY,
  }: { isExplained: boolean; most?: number | undefined },
): Promise<RenderedResult[]> {
  const rendered: RenderedResult[] = []
  let bytes = 0
  for (const [at, result] of results.entries()) {
    // An explanation reads up to 2,000 data points.
    if (isExplained || (at > 0 && at % PER_TURN === 0)) await takeTurn(context)
    const passport = isExplained && result && 'passport' in result ? result.passport : undefined
    const explanation = passport && (await context.explainAll([passport])).get(passport.id)
    const entry = toRendered(result, (passport) => render(passport, explanation))
    bytes += entry && 'json' in entry ? Buffer.byteLength(entry.json) : 0
    if (bytes > most && at > 0) break
    rendered.push(entry)
  }
  return rendered
}

const toRendered = (result: KeyResult, render: Render): RenderedResult =>
  result && 'passport' in result ? { ...result, json: render(result.passport) } : result

function pick(value: unknown, paths: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, paths))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (paths.includes(name)) return [[name, inner]]
      const below = paths.filter((path) => path.startsWith(`${name}.`))
      const within = below.map((path) => path.slice(name.length + 1))
      return within.length === 0 ? [] : [[name, pick(inner, within)]]
    }),
  )
}

/** Yields the results of all keys, in order. Each `read` returns some of them. Other requests run between reads. */
export async function* readAll<Key, Result>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Awaitable<readonly Result[]>,
  nextTurn: () => Awaitable<void>,
): AsyncGenerator<Result, undefined> {
  for (let at = 0; at < keys.length; ) {
    if (at > 0) await nextTurn()
    const results = await read(keys.slice(at))
    yield* results
    at += results.length
  }
}

type KeyResults = Awaited<ReturnType<FindByKeys>>

/** The passports now, or as of a time: all later events are undone. Throws `before_history`. */
function findAt(
  { store }: Pick<Context, 'store'>,
  keys: readonly PassportKey[],
  options: FindOptions,
  time: number | undefined,
): Awaitable<KeyResults> {
  const results = store.passports.findByKeys(keys, options)
  return time === undefined ? results : undoLater(store, results, time)
}

async function undoLater(store: Store, read: Awaitable<KeyResults>, time: number): Promise<KeyResults> {
  const results = await read
  const now = new Map(passportsOf(results).map((passport) => [passport.id, stateOf(passport)]))
  const states = new Map<number, ScoreState | undefined>(now)
  const check = (knownSince: number) => checkKnown('as_of', time, knownSince)
  for await (const events of readLater(store.events, now.keys(), time, check)) {
    for (const [id, later] of Map.groupBy(events, (event) => ('passportId' in event ? event.passportId : 0)))
      states.set(id, undo(states.get(id), later))
  }
  return results.map((result) => {
    if (!result || !('passport' in result)) return result
    const { passport } = result
    const [current, state] = [now.get(passport.id), states.get(passport.id)]
    return current && state && { passport: toPassportAt(passport, current, state) }
  })
}

export type Standings = ReadonlyMap<number, WireStanding>

const passportsOf = (results: KeyResults): PassportV3[] =>
  results.flatMap((result) => (result && 'passport' in result ? [result.passport] : []))

async function findStandings({ index, request }: Context, passports: readonly PassportV3[]) {
  const scores = passports.map((passport) => passport.scores)
  const results = await index.call('standings', scores, request.signal)
  return new Map(passports.map(({ id }, at) => [id, presentStanding(results[at] as Standing)] as const))
}

/*
 * Units: the number of requests that a request of v3 counts as. One unit is about a millisecond of CPU with 100,000
 * passports. bench/request-costs.ts measures it, and docs/limits.md has the table.
 */

/** Points of each passport in a response. `standing` is free, because the ranking is in memory. */
const POINTS_PER_UNIT = 25
const PASSPORT_POINTS = 1
const PART_POINTS: Record<Include, number> = { credentials: 1, explanation: 2, standing: 0 }
const PAST_POINTS = 3

export function unitsOfPassports(count: number, { includes }: Fields, isPast = false): number {
  // Past standings and explanations cost nothing, because they are unknown.
  const parts = [...includes].filter((part) => !isPast || part === 'credentials')
  const points = parts.reduce((sum, part) => sum + PART_POINTS[part], PASSPORT_POINTS)
  return Math.ceil((count * (points + (isPast ? PAST_POINTS : 0))) / POINTS_PER_UNIT)
}
