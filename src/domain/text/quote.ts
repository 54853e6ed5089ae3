const LONGEST_QUOTE = 40

/** What was given, as JSON short enough for a sentence. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' && value.length > LONGEST_QUOTE ? value.slice(0, LONGEST_QUOTE) : value
  const json = toJson(text)
  if (text !== value) return `${json.slice(0, -1)}…"`
  return json.length > LONGEST_QUOTE + 2 ? `${json.slice(0, LONGEST_QUOTE)}…` : json
}

/** JSON takes a time that grows with the square of the depth. */
const DEEPEST = 20

function toJson(value: unknown): string {
  // JSON would make null of a number as large as 1e999.
  if (typeof value === 'number') return String(value)
  if (isTooDeep(value)) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? String(value)
}

export const isTooDeep = (value: unknown): boolean => isDeeperThan(DEEPEST, value)

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner))
}
