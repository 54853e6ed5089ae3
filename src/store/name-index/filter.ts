import { END } from './text.ts'

/** So many buckets for runs of up to three bytes, which fall into two each, and as many for runs of four and five. */
const BUCKETS = 6144

/** The longest run that is looked at. */
export const LONGEST = 5

/** Of so many bytes of a keyword; later ones tell little more. */
const BYTES = 64

/** Rows are told by the bits of one number, a group of them at a time. */
export const GROUP = 32

/**
 * In which rows of names a keyword may be: in those that have each of its runs, or others of the same buckets. Runs that are
 * in most rows are left out: they tell nothing, and would hide what others of their buckets tell.
 *
 * Its memory depends on the number of groups alone; `spare` is that of a filter that is no longer needed.
 */
export function createFilter(
  groups: number,
  common: readonly Uint8Array[],
  spare?: Uint32Array<ArrayBuffer>,
) {
  const size = 2 * BUCKETS * groups
  let bits = spare?.length === size ? spare : new Uint32Array(size)
  const group = new Uint32Array(2 * BUCKETS)
  const isCommon = createHashSet(common.map(hashOf))

  function markShort(hash: number, bit: number): void {
    if (isCommon(hash)) return
    group[upper(hash)] = (group[upper(hash)] as number) | bit
    group[lower(hash)] = (group[lower(hash)] as number) | bit
  }

  function markLong(hash: number, bit: number): void {
    if (!isCommon(hash)) group[BUCKETS + upper(hash)] = (group[BUCKETS + upper(hash)] as number) | bit
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
        markShort(hash(run & 0xff, END), bit)
        if (length >= 2) markShort(hash(run & 0xffff, END), bit)
        if (length >= 3) markShort(hash(run & 0xffffff, END), bit)
        if (length >= 4) markLong(hash(run, END), bit)
        if (length >= 5) markLong(hash(run, names[at - 4] as number), bit)
      }
    },
    /** All names of a group are in. */
    put(at: number): void {
      for (let bucket = 0; bucket < group.length; bucket++)
        bits[bucket * groups + at] = group[bucket] as number
      group.fill(0)
    },
    /** Those of longer runs first: they are in fewer rows. */
    bucketsOf(keyword: Uint8Array): number[] {
      const buckets: number[] = []
      const length = Math.min(keyword.length, BYTES)
      let run = 0
      for (let at = 0; at < length; at++) {
        run = (run << 8) | (keyword[at] as number)
        if (at >= 4) addLong(hash(run, keyword[at - 4] as number))
        if (at >= 3) addLong(hash(run, END))
        if (at >= 2 || at === length - 1) addShort(hash(run & 0xffffff, END))
      }
      return buckets

      function addLong(hash: number): void {
        if (!isCommon(hash)) buckets.unshift(BUCKETS + upper(hash))
      }
      function addShort(hash: number): void {
        if (!isCommon(hash)) buckets.push(upper(hash), lower(hash))
      }
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

function hashOf(run: Uint8Array): number {
  const last = run.subarray(-4).reduce((before, byte) => (before << 8) | byte, 0)
  return hash(last, run.length > 4 ? (run[0] as number) : END)
}

/** Of up to four bytes, and the one before them. */
function hash(run: number, before: number): number {
  const mixed = Math.imul(run ^ Math.imul(before, 0xc2b2ae35), 0x2c1b3c6d)
  return Math.imul(mixed ^ (mixed >>> 15), 0x297a2d39)
}

const upper = (hash: number) => Math.imul(hash >>> 16, BUCKETS) >>> 16
const lower = (hash: number) => Math.imul(hash & 0xffff, BUCKETS) >>> 16

/** Some other hashes, one in a thousand or so, are taken for members. */
function createHashSet(members: readonly number[]): (hash: number) => boolean {
  const bits = new Uint32Array(1 << 15)
  for (const hash of members) bits[hash >>> 17] = (bits[hash >>> 17] as number) | (1 << ((hash >>> 12) & 31))
  return (hash) => (((bits[hash >>> 17] as number) >>> ((hash >>> 12) & 31)) & 1) === 1
}
