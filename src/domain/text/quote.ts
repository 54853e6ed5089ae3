const LONGEST_QUOTE = 40

/** A received value as JSON, shortened for an error message. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' && value.length > LONGEST_QUOTE ? value.slice(0, LONGEST_QUOTE) : value
  const json = toJson(text)
  if (text !== value) return `${json.slice(0, -1)}…"`
  return json.length > LONGEST_QUOTE + 2 ? `${json.slice(0, LONGEST_QUOTE)}…` : json
}

/** The time of JSON.stringify grows with the square of the depth. */
const DEEPEST = 20

function toJson(value: unknown): string {
  // JSON.stringify(1e999) is null.
  if (typeof value === 'number') return String(value)
  if (isTooDeep(value)) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? String(value)
}

export const isTooDeep = (value: unknown): boolean => isDeeperThan(DEEPEST, value)

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner))
}
