import type { Passport } from '../domain/passport.ts'
import { printable } from '../domain/text/format.ts'
import { formatInstant } from '../domain/text/instant.ts'

/**
 * Seen by nobody, and read by models as letters or bytes: tags and variation selectors of Unicode, and spaces of no width. What
 * joins letters and what makes an emoji of a sign stays.
 */
const INVISIBLE_LETTERS = /[\u{fe00}-\u{fe0d}]|[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e0fff}]/gu

/** Text that strangers wrote: on one line, nothing hidden in it, and no longer than a reader has patience for. */
export function cut(text: string, longest: number): string {
  const [head, isCut] = text.length > longest ? [text.slice(0, longest), true] : [text, false]
  return printable(head.toWellFormed().replace(INVISIBLE_LETTERS, '')) + (isCut ? '…' : '')
}

/** A name within a sentence, in quotes that it cannot end. */
export const nameOf = ({ profile }: Passport): string =>
  profile.displayName === '' ? 'without a name' : JSON.stringify(cut(profile.displayName, 100))

/** How old a score is. */
export const ageOf = ({ calculatedAt, stale }: Passport): string =>
  `calculated ${formatInstant(calculatedAt)}${stale ? ', a new score is being calculated' : ''}`
