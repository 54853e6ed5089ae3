import type { HiddenFile } from './hidden-file.ts'

/** What is written, and at least what is read, at a time. */
const WRITE_BYTES = 128 * 1024
const READ_BYTES = 16 * 1024

/** Blocks of bytes in a file. */
export function createSpill(file: HiddenFile) {
  const starts = [0]
  let unwritten: Uint8Array[] = []
  let written = 0
  let end = 0
  /** The part of the file that was read last. */
  let window = Buffer.alloc(READ_BYTES)
  let windowStart = 0
  let windowEnd = 0

  function write(): void {
    file.write(Buffer.concat(unwritten), written)
    written = end
    unwritten = []
  }

  return {
    add(block: Uint8Array): void {
      unwritten.push(Uint8Array.from(block))
      end += block.length
      starts.push(end)
      if (end - written >= WRITE_BYTES) write()
    },
    /** Nothing is added any more. */
    end: write,
    length: () => starts.length - 1,
    /** Good until the next one is asked for. */
    block(at: number): Buffer {
      const from = starts[at] as number
      const to = starts[at + 1] as number
      if (from < windowStart || to > windowEnd) {
        if (to - from > window.length) window = Buffer.alloc(to - from)
        // Should that fail, nothing of what was read before is left.
        windowEnd = 0
        windowEnd = from + file.read(window, from, to - from)
        windowStart = from
      }
      return window.subarray(from - windowStart, to - windowStart)
    },
  }
}

export type Spill = ReturnType<typeof createSpill>
