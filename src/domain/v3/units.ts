import type { ListRequest } from '../lists/list-request.ts'
import type { Fields, Include } from './fields.ts'

/*
 * The number of requests that a request of v3 counts as. One is about a millisecond of CPU at 100,000 passports:
 * bench/request-costs.ts measures it, and docs/security.md has the table.
 */

/** Points of a passport in a response; 25 points are one unit. The ranking in memory makes `standing` free. */
const POINTS_PER_UNIT = 25
const PASSPORT_POINTS = 1
const PART_POINTS: Record<Include, number> = { credentials: 1, explanation: 2, standing: 0 }
const PAST_POINTS = 3

/** Evaluations of the index: for a filter or another order, for groups, and for a search inside of the index. */
const INDEX_UNITS = 2
const GROUP_UNITS = 2
const INDEX_SEARCH_UNITS = 8

const EVENTS_PER_UNIT = 250
/** A body takes memory and delays others while it is received: it counts as more than its CPU. */
const BODY_BYTES_PER_UNIT = 8 * 1024

/** A diff reads all later events of a passport. */
export const DIFF_UNITS = 2

export const unitsOfPassports = (count: number, fields: Fields, isPast = false): number =>
  Math.ceil((count * pointsOf(fields, isPast)) / POINTS_PER_UNIT)

/** The most passports that cost no more than these units. */
export const mostPassports = (units: number, fields: Fields, isPast: boolean): number =>
  Math.floor((Math.max(0, units) * POINTS_PER_UNIT) / pointsOf(fields, isPast))

function pointsOf({ includes }: Fields, isPast: boolean): number {
  // Past standings and explanations are unknown: nothing is calculated.
  const parts = [...includes].filter((part) => !isPast || part === 'credentials')
  const points = parts.reduce((sum, part) => sum + PART_POINTS[part], PASSPORT_POINTS)
  return points + (isPast ? PAST_POINTS : 0)
}

/** `needsIndex`: the list is not a page of the ranking. */
export function unitsOfList(
  { limit, keyword, groupBy }: Pick<ListRequest, 'limit' | 'keyword' | 'groupBy'>,
  fields: Fields,
  needsIndex: boolean,
): number {
  const index = needsIndex ? INDEX_UNITS + (keyword === undefined ? 0 : INDEX_SEARCH_UNITS) : 0
  return unitsOfPassports(limit, fields) + index + (groupBy === undefined ? 0 : GROUP_UNITS)
}

export const unitsOfEvents = (limit: number): number => Math.ceil(limit / EVENTS_PER_UNIT)

/** The units of a body, in addition to those of its request. */
export const unitsOfBody = (bytes: number): number => Math.floor(bytes / BODY_BYTES_PER_UNIT)
