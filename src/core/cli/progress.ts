import { formatDuration } from '../basics/text/duration.ts'
import type { Terminal } from './command.ts'

const EVERY_ON_TERMINAL = 100
const EVERY_ELSEWHERE = 5000

type Output = Pick<Terminal, 'err' | 'interactive' | 'now'>

/**
 * Shows progress: on a terminal in a line that is redrawn, elsewhere in a new line every few seconds. Short work shows
 * nothing.
 */
export function createProgress({ err, interactive, now }: Output, unit: string, initial?: number) {
  const begin = now()
  const every = interactive ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE
  let last = begin
  let drawn = false

  /** Clears the line; a later update draws it again. */
  function end(): void {
    if (drawn && interactive) err('\r\x1b[2K')
    drawn = false
  }

  return {
    /** `measured` is the progress towards `total`, if `total` has another unit than `done`. */
    update(done: number, measured = done, total = initial): void {
      // Math.abs, because the clock can be set back.
      if (Math.abs(now() - last) < every) return
      last = now()
      drawn = true
      const seconds = Math.max(0.001, (last - begin) / 1000)
      const rate = Math.round(done / seconds)
      const parts = [`${done.toLocaleString('en')} ${unit}`, `${rate.toLocaleString('en')} a second`]
      const share = total ? Math.min(1, measured / total) : 0
      if (share > 0) parts.unshift(`${Math.floor(share * 100)} %`)
      if (share > 0 && share < 1)
        parts.push(`${formatDuration(Math.round((seconds * (1 - share)) / share) * 1000)} left`)
      const line = parts.join(', ')
      err(interactive ? `\r\x1b[2K${line}` : `${line}\n`)
    },
    end,
    [Symbol.dispose]: end,
  }
}
