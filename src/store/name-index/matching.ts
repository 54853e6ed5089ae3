import type { Runs } from './runs.ts'
import { END } from './text.ts'

/** A keyword, ready to be looked for in blocks of names. */
export type Needle = {
  bytes: Uint8Array
  /** What is looked for, from a rare byte on: that is several times faster. What is before it is compared afterwards. */
  tail: Uint8Array
  anchor: number
}

export function toNeedle(bytes: Uint8Array, runs: Runs): Needle {
  let anchor = 0
  let least = Number.POSITIVE_INFINITY
  // Two bytes are left at least.
  for (let at = 0; at < bytes.length - 1; at++) {
    const count = runs(bytes.subarray(at, at + 1)) ?? 0
    if (count >= least) continue
    anchor = at
    least = count
  }
  return { bytes, tail: bytes.subarray(anchor), anchor }
}

/** How many names of a block contain it. */
export function countNames(block: Buffer, needle: Needle): number {
  let count = 0
  for (let at = next(block, needle, 0); at !== -1; at = next(block, needle, block.indexOf(END, at))) count++
  return count
}

/** Which names of a block contain it, numbered from 0. */
export function findNames(block: Buffer, needle: Needle): number[] {
  const found: number[] = []
  let name = 0
  let at = 0
  for (let match = next(block, needle, 0); match !== -1; match = next(block, needle, at)) {
    for (; at < match; at++) if (block[at] === END) name++
    found.push(name)
    at = block.indexOf(END, match)
  }
  return found
}

/** Where it comes next; -1 where it does not. */
function next(block: Buffer, { bytes, tail, anchor }: Needle, from: number): number {
  for (let at = block.indexOf(tail, from + anchor); at !== -1; at = block.indexOf(tail, at + 1)) {
    const start = at - anchor
    let same = 0
    while (same < anchor && block[start + same] === bytes[same]) same++
    if (same === anchor) return start
  }
  return -1
}
