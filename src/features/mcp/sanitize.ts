import { printable } from '../../core/basics/text/quote.ts'

const LONGEST_TEXT = 300

/**
 * Invisible to people but readable for models: Unicode tags, variation selectors and zero-width spaces. Joiners and the
 * emoji variation selector are kept.
 */
const INVISIBLE = /[\u{fe00}-\u{fe0d}]|[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e0fff}]/gu

/** Cleans the untrusted texts of a result: one line each, no invisible characters. Long texts are truncated. */
export function sanitize(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value)
  if (Array.isArray(value)) return value.map(sanitize)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sanitize(inner)]))
}

function sanitizeText(text: string): string {
  const end = text.length > LONGEST_TEXT ? '…' : ''
  return printable(text.slice(0, LONGEST_TEXT).toWellFormed().replace(INVISIBLE, '')) + end
}
