import { writeSync } from 'node:fs'
import { withPath } from './system-error.ts'

const PAUSE_MILLISECONDS = 5

type Options = {
  /** Named in errors. */
  path: string
  /** Milliseconds after which a full pipe that nobody reads is given up. */
  patience?: number
}

/** Writes synchronously and completely: a non-blocking pipe accepts only a part of a long text. */
export function writeAll(
  descriptor: number,
  text: string,
  { path, patience = Number.POSITIVE_INFINITY }: Options,
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
