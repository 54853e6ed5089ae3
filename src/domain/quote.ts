const LONGEST_QUOTE = 40

/** What was given, as JSON short enough for a sentence. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' && value.length > LONGEST_QUOTE ? value.slice(0, LONGEST_QUOTE) : value
  const json = toJson(text)
  if (text !== value) return `${json.slice(0, -1)}…"`
  return json.length > LONGEST_QUOTE + 2 ? `${json.slice(0, LONGEST_QUOTE)}…` : json
}

function toJson(value: unknown): string {
  // JSON would make null of a number as large as 1e999.
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // Nested deeper than the stack is.
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}
