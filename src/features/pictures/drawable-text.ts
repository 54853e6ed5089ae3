import type { FullPassport } from '../../core/passport/passport.ts'
import { cleanText, nameOf, shortenWallet } from '../../ui/text.ts'

/**
 * A character that the built-in font lacks. It has Latin with Vietnamese, Cyrillic and Greek, and their punctuation.
 */
export const NOT_BUILT_IN =
  /[^ -~\u00a0-\u012b\u012e-\u0131\u0134-\u0165\u0168-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u1ea0-\u1ef9\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u20ac\u2122]/u

const EMOJI = /\p{RGI_Emoji}|\p{Extended_Pictographic}|\ufe0f|\u200d/gv

type Named = Pick<FullPassport, 'id' | 'profile' | 'socials' | 'mainWallet'>

/**
 * Returns the name without emoji. If a PNG picture cannot show one of its characters, returns the words that it can
 * show, or else a handle, the wallet or the id. `fonts` matches a character of the further fonts.
 */
export function drawableName(passport: Named, fonts?: RegExp): string {
  const name = nameOf(passport)
  const drawn = drawableText(name, fonts)
  if (drawn !== '') return drawn
  const words = name.split(' ').map((word) => drawableText(word, fonts))
  const handles = passport.socials.map((social) => drawableText(cleanText(social.name), fonts))
  return (
    words.filter((word) => /\p{L}/u.test(word)).join(' ') ||
    handles.find(Boolean)?.replace(/^(?=[^@.]*$)/, '@') ||
    drawableText(shortenWallet(passport.mainWallet), fonts) ||
    `Passport ${passport.id}`
  )
}

/** Returns the text without emoji, or "" if the fonts lack one of its characters. */
export function drawableText(given: string, fonts?: RegExp): string {
  const isDrawable = (text: string) =>
    [...text].every((character) => !NOT_BUILT_IN.test(character) || fonts?.test(character))
  const text = given
    .normalize('NFC')
    .replace(EMOJI, (emoji) => (isDrawable(emoji) ? emoji : ''))
    .replace(/\s+/g, ' ')
    .trim()
  return isDrawable(text) ? text : ''
}
