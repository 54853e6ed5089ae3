/** How long the source wants to be left alone, in milliseconds, if it says so. */
export function waitOf(headers: Headers, now: number): number | undefined {
  const after = headers.get('Retry-After')
  if (after !== null) {
    const wait = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - now
    if (wait > 0) return wait
  }
  const [remaining, reset] = [headers.get('RateLimit-Remaining'), headers.get('RateLimit-Reset')]
  if (remaining !== null && Number(remaining) === 0 && reset !== null)
    return Math.max(0, Number(reset)) * 1000 || undefined
  return longestReset(headers.get('RateLimit') ?? '')
}

/** Drafts differ: `"default";r=0;t=5`, an item a policy, or `limit=9, remaining=0, reset=5`. */
function longestReset(field: string): number | undefined {
  const items = field.includes('remaining=') ? [field] : field.split(',')
  const resets = items.map((item) => {
    const isSpent = /(?:^|[;,\s])r(?:emaining)?=0\b/.test(item)
    return isSpent ? Number(/(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(item)?.[1] ?? 0) : 0
  })
  return Math.max(...resets) * 1000 || undefined
}
