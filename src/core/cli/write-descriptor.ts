import { writeSync } from 'node:fs'
import { withPath } from './system-error.ts'

const PAUSE_MILLISECONDS = 5

/**
 * Writes the whole text synchronously, because a non-blocking pipe accepts only the beginning of a long text. Errors
 * contain `path`. Gives up if nobody reads a full pipe for `patience` milliseconds.
 */
export function writeAll(
  descriptor: number,
  text: string,
  path: string,
  patience = Number.POSITIVE_INFINITY,
): void {
  let rest = Buffer.from(text)
  let waited = 0
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
      waited = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw withPath(error, path)
      if (waited >= patience) return
      Bun.sleepSync(PAUSE_MILLISECONDS)
      waited += PAUSE_MILLISECONDS
    }
  }
}
