/** A passport in a path or query. An empty one would request the list instead. */
export function toSegment(key: number | string): string {
  const text = String(key).trim()
  if (text === '') throw new TypeError('A passport id or wallet is required, got "".')
  return encodeURIComponent(text)
}

type Value = string | number | Date | readonly string[] | undefined

/** Lists have commas between their values. */
export function toQuery(values: Record<string, Value>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, toText(value))
  return query.size === 0 ? '' : `?${query}`
}

export const toText = (value: NonNullable<Value>): string =>
  value instanceof Date ? value.toISOString() : String(value)
