import { foldInto } from './fold-bytes.ts'
import { createSpill, type Spill } from './spill.ts'

/** Follows each name; no name contains it. */
export const END = 0
export const END_LETTER = '\0'

/** So many names are in a block. */
export const BLOCK = 64

/** What memory holds; the names of lower ranks are in a file. */
const MEMORY_BYTES = 8 * 1024 * 1024

const SCRATCH_BYTES = 64 * 1024

/** Folded names by rank. */
export type NameText = {
  /** How many blocks there are; the last one may have fewer names. */
  readonly length: number
  /** A letter for each byte: nothing is searched as fast as such text. */
  block(at: number): string
  /** Good until the next ones are asked for. */
  bytes(at: number): Uint8Array
  /** The same for the same names, in whatever order. */
  readonly names: string
}

/** Takes names by rank. Where memory does not hold them all, the others go to a file, for which `path` is free. */
export function createNameText(path: string, memoryBytes = MEMORY_BYTES) {
  const blocks: string[] = []
  let spill: Spill | undefined
  let left = memoryBytes
  /** The block under way. */
  let scratch = Buffer.alloc(SCRATCH_BYTES)
  let end = 0
  let count = 0
  const sums = new Uint32Array(2)

  function endBlock(): void {
    if (end > left) spill ??= createSpill(path)
    if (spill) spill.add(scratch.subarray(0, end))
    else blocks.push(scratch.toString('latin1', 0, end))
    left -= end
    end = 0
    count = 0
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
      const inFile = (at: number) => (spill as Spill).block(at - blocks.length)
      return {
        length: blocks.length + (spill?.length() ?? 0),
        block: (at) => blocks[at] ?? inFile(at).toString('latin1'),
        bytes(at) {
          const block = blocks[at]
          return block === undefined ? inFile(at) : scratch.subarray(0, scratch.write(block, 'latin1'))
        },
        names: sums.join(),
      }
    },
  }
}
