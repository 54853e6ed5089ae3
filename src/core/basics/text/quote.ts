const LONGEST_QUOTE = 40

/** A received value as JSON, shortened for an error message. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' && value.length > LONGEST_QUOTE ? value.slice(0, LONGEST_QUOTE) : value
  const json = toJson(text)
  if (text !== value) return `${json.slice(0, -1)}…"`
  return json.length > LONGEST_QUOTE + 2 ? `${json.slice(0, LONGEST_QUOTE)}…` : json
}

/** Deeper values are not serialized, because the time of JSON.stringify grows with the square of the depth. */
const DEEPEST = 20

/** A value with more members is shown as `[…]` or `{…}`. */
const MOST_VALUES = 100

function toJson(value: unknown): string {
  // JSON.stringify(1e999) is null.
  if (typeof value === 'number') return String(value)
  if (isTooLarge(value, { values: MOST_VALUES }, DEEPEST)) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? String(value)
}

export const isTooDeep = (value: unknown): boolean =>
  isTooLarge(value, { values: Number.POSITIVE_INFINITY }, DEEPEST)

/** `left.values` is the number of values that are still allowed. */
function isTooLarge(value: unknown, left: { values: number }, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0 || (Array.isArray(value) && value.length > left.values)) return true
  for (const name in value) {
    left.values--
    if (left.values < 0 || isTooLarge(value[name as keyof typeof value], left, depth - 1)) return true
  }
  return false
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Replaces control characters of untrusted text, which could control a terminal. */
export const printable = (text: string): string => text.replace(CONTROL, '\ufffd')

/** Replaces control characters, but keeps line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

/** A line, or indented lines, of JSON. Characters that could control a terminal are escaped, which is the same JSON. */
export const toJsonText = (value: unknown, indent?: number): string =>
  `${JSON.stringify(value, null, indent)}\n`.replace(CONTROL, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
