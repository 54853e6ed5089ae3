import type { Steps } from '../turns.ts'
import type { HiddenFile } from './hidden-file.ts'
import { END } from './text.ts'

/** So many buckets for runs of up to three bytes, which fall into two each, and as many for runs of four and five. */
const BUCKETS = 6144

/** The longest run that is looked at. */
export const LONGEST = 5

/** Of so many bytes of a keyword; later ones tell little more. */
const BYTES = 64

/** Rows are told by the bits of one number, a group of them at a time. */
export const GROUP = 32

/** Where so few groups are left, the names themselves are looked at sooner than more buckets. */
const FEW_GROUPS = 4

/** Buckets that are turned round at a time, and groups of them before a pause. */
const SLICE = 1024
const STEP = 32

const BYTES_OF_NUMBER = Uint32Array.BYTES_PER_ELEMENT

/**
 * In which rows of names a keyword may be: in those that have each of its runs, or others of the same buckets. Runs that are
 * in most rows are left out: they tell nothing, and would hide what others of their buckets tell.
 */
export type Filter = {
  groups: number
  /** The rows where the keyword may be, a group in each number. */
  rowsOf(keyword: Uint8Array): Uint32Array
}

/**
 * Takes the names of all rows. Its size depends on the number of groups alone. It is looked at by bucket and comes by group: it is
 * turned round in files, as memory is short.
 */
export function createFilter(groups: number, common: readonly Uint8Array[], createFile: () => HiddenFile) {
  const byGroup = createFile()
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

  /** Those of longer runs first: they are in fewer rows. */
  function bucketsOf(keyword: Uint8Array): number[] {
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
  }

  return {
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
      byGroup.write(new Uint8Array(group.buffer), at * group.byteLength)
      group.fill(0)
    },
    /** Nothing is added any more. */
    *end(): Steps<Filter> {
      const file = createFile()
      const some = new Uint32Array(SLICE)
      const slice = new Uint32Array(SLICE * groups)
      for (let first = 0; first < group.length; first += SLICE) {
        for (let at = 0; at < groups; at++) {
          byGroup.read(new Uint8Array(some.buffer), at * group.byteLength + first * BYTES_OF_NUMBER)
          for (let bucket = 0; bucket < SLICE; bucket++) slice[bucket * groups + at] = some[bucket] as number
          if (at % STEP === 0) yield
        }
        file.write(new Uint8Array(slice.buffer), first * groups * BYTES_OF_NUMBER)
      }
      byGroup.close()
      const words = new Uint32Array(groups)
      const bytes = new Uint8Array(words.buffer)
      return {
        groups,
        rowsOf(keyword) {
          const rows = new Uint32Array(groups).fill(-1)
          for (const bucket of bucketsOf(keyword)) {
            file.read(bytes, bucket * bytes.length)
            let left = 0
            for (let at = 0; at < groups; at++) {
              const both = (rows[at] as number) & (words[at] as number)
              rows[at] = both
              if (both !== 0) left++
            }
            if (left <= FEW_GROUPS) break
          }
          return rows
        },
      }
    },
  }
}

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
