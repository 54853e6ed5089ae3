import { formatInstant } from '../domain/instant.ts'
import type { Passport } from '../domain/passport.ts'
import { printable } from './words.ts'

/** Tags of Unicode are seen by nobody, and read by models as letters. */
const INVISIBLE_LETTERS = /[\u{e0000}-\u{e007f}]/gu

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
