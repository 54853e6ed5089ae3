import { END } from './text.ts'

/** So many buckets for runs of up to three bytes, which fall into two each, and as many for runs of four and five. */
const BUCKETS = 6144

/** Of so many bytes of a keyword; later ones tell little more. */
const LETTERS = 64

/** Rows are told by the bits of one number, a group of them at a time. */
export const GROUP = 32

/**
 * In which rows of names a keyword may be: in those that have each of its runs, or others of the same buckets. Its memory
 * depends on the number of groups alone; `spare` is that of a filter that is no longer needed.
 */
export function createFilter(groups: number, spare?: Uint32Array<ArrayBuffer>) {
  const size = 2 * BUCKETS * groups
  let bits = spare?.length === size ? spare : new Uint32Array(size)
  const group = new Uint32Array(2 * BUCKETS)

  function mark(bucket: number, bit: number): void {
    group[bucket] = (group[bucket] as number) | bit
  }

  return {
    groups,
    /** Names of a row of the group under way. */
    add(row: number, names: Uint8Array): void {
      const bit = 1 << row
      let run = 0
      let length = 0
      for (let at = 0; at < names.length; at++) {
        const byte = names[at] as number
        if (byte === END) {
          length = 0
          continue
        }
        run = (run << 8) | byte
        length++
        markShort(run & 0xff)
        if (length >= 2) markShort(run & 0xffff)
        if (length >= 3) markShort(run & 0xffffff)
        if (length >= 4) mark(longBucket(run, END), bit)
        if (length >= 5) mark(longBucket(run, names[at - 4] as number), bit)
      }

      function markShort(run: number): void {
        const hash = mix(run)
        mark(upper(hash), bit)
        mark(lower(hash), bit)
      }
    },
    /** All names of a group are in. */
    put(at: number): void {
      for (let bucket = 0; bucket < group.length; bucket++)
        bits[bucket * groups + at] = group[bucket] as number
      group.fill(0)
    },
    /** The rows of a group where a keyword of these buckets may be. */
    rows(at: number, buckets: readonly number[]): number {
      let rows = -1
      for (let next = 0; next < buckets.length && rows !== 0; next++) {
        rows &= bits[(buckets[next] as number) * groups + at] ?? -1
      }
      return rows
    },
    /** Gives its memory away. From then on any row may have the keyword. */
    release(): Uint32Array<ArrayBuffer> {
      const released = bits
      bits = new Uint32Array(0)
      return released
    },
  }
}

export type Filter = ReturnType<typeof createFilter>

/** Those of longer runs first: they are in fewer rows. */
export function bucketsOf(keyword: Uint8Array): number[] {
  const length = Math.min(keyword.length, LETTERS)
  const long: number[] = []
  const short: number[] = []
  let run = 0
  for (let at = 0; at < length; at++) {
    run = (run << 8) | (keyword[at] as number)
    if (at >= 4) long.unshift(longBucket(run, keyword[at - 4] as number))
    if (at >= 3) long.push(longBucket(run, END))
    if (at >= 2 || at === length - 1) short.push(upper(mix(run & 0xffffff)), lower(mix(run & 0xffffff)))
  }
  return [...long, ...short]
}

const longBucket = (run: number, before: number) => BUCKETS + upper(mix(run ^ Math.imul(before, 0xc2b2ae35)))
const upper = (hash: number) => Math.imul(hash >>> 16, BUCKETS) >>> 16
const lower = (hash: number) => Math.imul(hash & 0xffff, BUCKETS) >>> 16

function mix(run: number): number {
  const half = Math.imul(run ^ (run >>> 15), 0x2c1b3c6d)
  return Math.imul(half ^ (half >>> 12), 0x297a2d39)
}
