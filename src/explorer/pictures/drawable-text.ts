import type { Passport } from '../../domain/passport.ts'
import { nameOf } from '../design/text.ts'

/** Characters of the font: Latin with Vietnamese, Cyrillic and Greek, and their punctuation. */
const DRAWABLE =
  /^[ -~\u00a0-\u012b\u012e-\u0131\u0134-\u0165\u0168-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u1ea0-\u1ef9\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u20ac\u2122]+$/

const EMOJI = /\p{RGI_Emoji}|\p{Extended_Pictographic}|\ufe0f|\u200d/gv

/** Returns the name without emoji, or the id if the font of PNG pictures lacks a character of the name. */
export const drawableName = (passport: Pick<Passport, 'id' | 'profile'>): string =>
  drawableText(nameOf(passport)) || `Passport ${passport.id}`

/** Returns the text without emoji, or "" if the font lacks one of its characters. */
export function drawableText(given: string): string {
  const text = given
    .normalize('NFC')
    .replace(EMOJI, (character) => (DRAWABLE.test(character) ? character : ''))
    .replace(/\s+/g, ' ')
    .trim()
  return DRAWABLE.test(text) ? text : ''
}
