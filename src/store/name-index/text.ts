import { foldInto } from './fold-bytes.ts'
import { createSpill, type Spill } from './spill.ts'

/** Follows each name; no name contains it. */
export const END = 0

/** So many names are in a block. */
export const BLOCK = 64

/** What memory holds; the names of lower ranks are in a file. */
const MEMORY_BYTES = 32 * 1024 * 1024

const CHUNK_BYTES = 256 * 1024

/** Folded names by rank. */
export type NameText = {
  /** How many blocks there are; the last one may have fewer names. */
  readonly length: number
  /** Good until the next one is asked for. */
  block(at: number): Buffer
  /** The same for the same names, in whatever order. */
  readonly names: string
}

/** Takes names by rank. Where memory does not hold them all, the others go to a file, for which `path` is free. */
export function createNameText(path: string, memoryBytes = MEMORY_BYTES) {
  const blocks: Buffer[] = []
  let spill: Spill | undefined
  let left = memoryBytes
  let chunk = Buffer.alloc(0)
  /** The block under way. */
  let scratch = Buffer.alloc(CHUNK_BYTES)
  let end = 0
  let count = 0
  const sums = new Uint32Array(2)

  function endBlock(): void {
    const block = scratch.subarray(0, end)
    if (end > left) spill ??= createSpill(path)
    if (spill) spill.add(block)
    else blocks.push(hold(block))
    end = 0
    count = 0
  }

  function hold(block: Buffer): Buffer {
    if (block.length > chunk.length) chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, block.length))
    const held = chunk.subarray(0, block.length)
    held.set(block)
    chunk = chunk.subarray(block.length)
    left -= block.length
    return held
  }

  /** Adds the name up into two sums: names add up to the same in any order. */
  function sum(from: number, to: number): void {
    let one = 0
    let other = 1
    for (let at = from; at < to; at++) {
      one = Math.imul(one ^ (scratch[at] as number), 0x01000193)
      other = Math.imul(other + (scratch[at] as number), 0x9e3779b1)
    }
    sums[0] = (sums[0] as number) + (one ^ (one >>> 15))
    sums[1] = (sums[1] as number) + (other ^ (other >>> 15))
  }

  return {
    add(name: string): void {
      let next = foldInto(scratch, end, name)
      for (; next === undefined || next === scratch.length; next = foldInto(scratch, end, name)) {
        scratch = Buffer.concat([scratch], scratch.length * 2)
      }
      sum(end, next)
      scratch[next] = END
      end = next + 1
      if (++count === BLOCK) endBlock()
    },
    end(): NameText {
      if (count > 0) endBlock()
      spill?.end()
      return {
        length: blocks.length + (spill?.length() ?? 0),
        block: (at) => blocks[at] ?? (spill as Spill).block(at - blocks.length),
        names: sums.join(),
      }
    },
  }
}
