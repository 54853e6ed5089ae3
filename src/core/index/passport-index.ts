import type { Bits } from '../basics/bits.ts'
import type { GroupField, ScoreField, SortField } from '../lists/list-request.ts'
import { GROUP_FIELDS, SORT_FIELDS } from '../lists/list-request.ts'
import { createNames, type Names } from './names.ts'
import type { Posting } from './posting.ts'

/**
 * All listed passports, in memory. Each has a slot. A changed passport gets a new slot, so that postings only grow at
 * their end; the old slot stays in them, but is no longer in `alive`.
 */
export type PassportIndex = {
  /** How many slots there are, including those of removed passports. */
  count: number
  alive: Bits
  /** The slots that are not alive, in the order of their removal. */
  removed: number[]
  /** By slot. */
  ids: Float64Array
  scores: Record<ScoreField, Float64Array>
  /** The slots of each folded value. `NO_VALUE` has the slots without one. */
  values: Record<GroupField, Map<string, Posting>>
  /** The slots of each number of points, by the folded type of the credential. */
  points: Map<string, Map<number, Posting>>
  /** The postings of values as they are written in the facets. */
  written: Record<(typeof WRITTEN_FIELDS)[number], Map<string, readonly Posting[]>>
  names: Names
  /** Created when a list needs it. */
  orders: Map<SortField, Order>
}

/** The slots of all passports: the highest value first, and equal values by id. `passport_id`: the lowest id first. */
export type Order = {
  slots: Uint32Array
  /** How many slots and removals of the index it includes. */
  count: number
  removed: number
}

export const NO_VALUE = ''
export const WRITTEN_FIELDS = ['location', 'tag', 'source', 'human', 'rules', 'points'] as const
export const SCORE_FIELDS = SORT_FIELDS.filter((field) => field !== 'passport_id')

const recordOf = <Name extends string, Value>(names: readonly Name[], create: () => Value) =>
  Object.fromEntries(names.map((name) => [name, create()])) as Record<Name, Value>

export const createPassportIndex = (): PassportIndex => ({
  count: 0,
  alive: new Int32Array(0),
  removed: [],
  ids: new Float64Array(0),
  scores: recordOf(SCORE_FIELDS, () => new Float64Array(0)),
  values: recordOf(GROUP_FIELDS, () => new Map()),
  points: new Map(),
  written: recordOf(WRITTEN_FIELDS, () => new Map()),
  names: createNames(),
  orders: new Map(),
})

export const countAlive = ({ count, removed }: PassportIndex): number => count - removed.length

/** Postings of removed slots take memory and time. Then the index should be built again. */
export const isSparse = ({ count, removed }: PassportIndex): boolean => removed.length > 10_000 + count / 2

export const listPostings = ({ values, points, names }: PassportIndex): Map<string | number, Posting>[] => [
  ...GROUP_FIELDS.map((field) => values[field]),
  ...points.values(),
  names.trigrams,
]
