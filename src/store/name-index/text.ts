import { foldInto } from './fold-bytes.ts'
import { createHiddenFile, type HiddenFile } from './hidden-file.ts'
import { createSpill, type Spill } from './spill.ts'

/** Follows each name; no name contains it. */
export const END = 0

/** So many names are in a block. */
export const BLOCK = 64

/** What memory holds; the names of lower ranks are in a file. */
const MEMORY_BYTES = 2 * 1024 * 1024

/** Memory is taken in pieces of this, unless a block is larger. */
const PIECE_BYTES = 1024 * 1024

const SCRATCH_BYTES = 64 * 1024

/** Folded names by rank. */
export type NameText = {
  /** How many blocks there are; the last one may have fewer names. */
  readonly length: number
  /** Good until the next one is asked for. */
  block(at: number): Buffer
  /** The same for the same names, in whatever order. */
  readonly names: string
  /** For what is made of them. It is closed with the names. */
  createFile(): HiddenFile
  close(): void
}

/** Takes names by rank. What memory does not hold goes to files, whose names begin with `prefix` while they have one. */
export function createNameText(prefix: string, memoryBytes = MEMORY_BYTES) {
  const blocks: Buffer[] = []
  const files: HiddenFile[] = []
  let piece = Buffer.alloc(0)
  let taken = 0
  let spill: Spill | undefined
  let left = memoryBytes
  /** The block under way. */
  let scratch = Buffer.alloc(SCRATCH_BYTES)
  let end = 0
  let count = 0
  const sums = new Uint32Array(2)

  function createFile(): HiddenFile {
    const file = createHiddenFile(prefix)
    files.push(file)
    return file
  }

  function close(): void {
    for (const file of files) file.close()
  }

  function endBlock(): void {
    if (end > left) spill ??= createSpill(createFile())
    if (spill) spill.add(scratch.subarray(0, end))
    else blocks.push(keep(scratch.subarray(0, end)))
    left -= end
    end = 0
    count = 0
  }

  function keep(block: Buffer): Buffer {
    if (taken + block.length > piece.length) {
      piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, block.length))
      taken = 0
    }
    const kept = piece.subarray(taken, taken + block.copy(piece, taken))
    taken += kept.length
    return kept
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
        createFile,
        close,
      }
    },
    close,
  }
}
