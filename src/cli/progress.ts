import { formatDuration } from '../domain/text/duration.ts'
import type { Terminal } from './terminal.ts'

type Options = {
  unit: string
  total?: number
}

const BAR = 24
const EVERY_ON_TERMINAL = 100
const EVERY_ELSEWHERE = 5000

/** A bar on a terminal, a line every few seconds elsewhere. Short work shows nothing. */
export function createProgress({ err, interactive, columns, now }: Terminal, { unit, ...known }: Options) {
  let { total } = known
  const begin = now()
  const every = interactive ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE
  let last = begin
  let drawn = false

  function describe(done: number, measured: number): string {
    const seconds = Math.max(0.001, (now() - begin) / 1000)
    const rate = Math.round(done / seconds)
    const parts = [`${done.toLocaleString('en')} ${unit}`, `${rate.toLocaleString('en')} a second`]
    if (total !== undefined && total > 0) {
      const share = Math.min(1, measured / total)
      parts.unshift(interactive ? bar(share) : `${Math.floor(share * 100)} %`)
      if (share > 0 && share < 1)
        parts.push(`${formatDuration(Math.round((seconds * (1 - share)) / share) * 1000)} left`)
    }
    return parts.join(', ')
  }

  return {
    /** `measured` is the progress towards `total`, if their unit differs from `done`. */
    update(done: number, measured = done, newTotal = total): void {
      total = newTotal
      // The clock may be set back.
      if (Math.abs(now() - last) < every) return
      last = now()
      drawn = true
      const line = describe(done, measured)
      err(interactive ? `\r\x1b[2K${line.slice(0, columns() - 1)}` : `${line}\n`)
    },
    /** Clears the bar; a later update draws it again. */
    end(): void {
      if (drawn && interactive) err('\r\x1b[2K')
      drawn = false
    },
  }
}

const bar = (share: number) =>
  `[${'#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.')}] ${Math.floor(share * 100)} %`
