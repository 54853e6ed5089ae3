import { writeSync } from 'node:fs'

const PAUSE_MILLISECONDS = 5

/**
 * Writes synchronously and completely: a non-blocking pipe accepts only a part of a long text. Gives up if nobody reads a
 * full pipe for `patience` milliseconds.
 */
export function writeAll(descriptor: number, text: string, patience = Number.POSITIVE_INFINITY): void {
  let rest = Buffer.from(text)
  let waited = 0
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
      waited = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      if (waited >= patience) return
      Bun.sleepSync(PAUSE_MILLISECONDS)
      waited += PAUSE_MILLISECONDS
    }
  }
}
