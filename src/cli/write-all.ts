import { writeSync } from 'node:fs'

const PAUSE_MILLISECONDS = 5

/** Writes at once, and all of it: a pipe that does not wait for its reader takes only what it has room for. */
export function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Bun.sleepSync(PAUSE_MILLISECONDS)
    }
  }
}
