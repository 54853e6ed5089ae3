import { printable } from '../domain/text/format.ts'

/**
 * Invisible to people but readable for models: Unicode tags, variation selectors and zero-width spaces. Joiners and the
 * emoji variation selector are kept.
 */
const INVISIBLE = /[\u{fe00}-\u{fe0d}]|[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e0fff}]/gu

/** Untrusted text on one line, without invisible characters, at most `maxLength` long. */
export function sanitize(text: string, maxLength: number): string {
  const [head, isCut] = text.length > maxLength ? [text.slice(0, maxLength), true] : [text, false]
  return printable(head.toWellFormed().replace(INVISIBLE, '')) + (isCut ? '…' : '')
}
