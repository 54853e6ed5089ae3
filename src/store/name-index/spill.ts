import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'

/** What is written, and at least what is read, at a time. */
const WRITE_BYTES = 128 * 1024
const READ_BYTES = 16 * 1024

const closing = new FinalizationRegistry<number>(closeSync)

/** Blocks of bytes in a file without a name, which is gone when nobody holds it any more. */
export function createSpill(path: string) {
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  const starts = [0]
  let unwritten: Uint8Array[] = []
  let written = 0
  let end = 0
  /** The part of the file that was read last. */
  let window = Buffer.alloc(READ_BYTES)
  let windowStart = 0
  let windowEnd = 0

  function write(): void {
    const bytes = Buffer.concat(unwritten)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, written + at)
    written = end
    unwritten = []
  }

  const spill = {
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
        windowStart = from
        windowEnd = from + readSync(file, window, 0, window.length, from)
      }
      return window.subarray(from - windowStart, to - windowStart)
    },
  }
  closing.register(spill, file)
  return spill
}

export type Spill = ReturnType<typeof createSpill>
