import { writeSync } from 'node:fs'
import { withPath } from './system-error.ts'

const PAUSE_MILLISECONDS = 5

/** Writes synchronously and completely: a non-blocking pipe accepts only a part of a long text. Errors name `path`. */
export function writeAll(descriptor: number, text: string, path: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw withPath(error, path)
      Bun.sleepSync(PAUSE_MILLISECONDS)
    }
  }
}
