/** The Levenshtein distance. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [to, wanted] of [...other].entries()) {
      const changed = (row[to] as number) + Number(letter !== wanted)
      next.push(Math.min(changed, (row[to + 1] as number) + 1, (next[to] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}
