import { printable } from '../../core/basics/text/quote.ts'

/** Longer lists are truncated to save the agent's context. */
export const MAX_LIST = 100

const MAX_TEXT = 300

/**
 * Invisible to people but readable for models: Unicode tags, variation selectors and zero-width spaces. Joiners and the
 * emoji variation selector are kept.
 */
const INVISIBLE = /[\u{fe00}-\u{fe0d}]|[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e0fff}]/gu

/** Cleans the untrusted texts of a result: one line each, no invisible characters. Long texts and lists are truncated. */
export function sanitize<T>(value: T): T
export function sanitize(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value)
  if (Array.isArray(value)) return value.slice(0, MAX_LIST).map((item) => sanitize(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sanitize(inner)]))
}

function sanitizeText(text: string): string {
  const [head, isCut] = text.length > MAX_TEXT ? [text.slice(0, MAX_TEXT), true] : [text, false]
  return printable(head.toWellFormed().replace(INVISIBLE, '')) + (isCut ? '…' : '')
}
