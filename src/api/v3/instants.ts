import { ServiceError } from '../../domain/errors.ts'
import { invalidValues } from '../../domain/invalid-parameter.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { quote } from '../../domain/text/quote.ts'
import { presentTime } from '../../domain/v3/present-event.ts'

/** A day alone, or the end of a time with its offset. */
const DAY_OR_OFFSET = /^.{10}$|(?:Z|[+-]\d\d:?\d\d)$/i

/** A day, which is its first moment in UTC, or a time with its offset, that is not in the future. Throws `invalid_request`. */
export function parsePast(name: string, text: string, now: number, pointer = `?${name}`): number {
  const time = DAY_OR_OFFSET.test(text) ? parseInstant(text) : undefined
  if (time === undefined) {
    const detail = `${name} must be a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z, got ${quote(text)}.`
    throw invalidValues([{ pointer, detail }])
  }
  if (time <= now) return time
  const detail = `${name} must not be in the future, got ${quote(text)}; it is ${presentTime(now)} now.`
  throw invalidValues([{ pointer, detail }])
}

/** Throws `before_history` if states at the time are unknown. */
export function checkKnown(name: string, time: number, knownSince: number): void {
  if (time >= knownSince) return
  const since = presentTime(knownSince)
  throw new ServiceError(
    'before_history',
    `${name} is ${presentTime(time)}, but changes are known since ${since}.`,
    {
      members: { known_since: since },
    },
  )
}
