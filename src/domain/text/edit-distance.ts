/** The Levenshtein distance of two texts, or `most + 1` if it is larger. The time is linear in the length. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  const row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    // Cells that are further from the diagonal are above `most`.
    const start = Math.max(1, at - most)
    let diagonal = row[start - 1] as number
    row[start - 1] = start === 1 ? at : most + 1
    let least = row[start - 1] as number
    for (let to = start; to <= Math.min(other.length, at + most); to++) {
      const changed = diagonal + Number(one[at - 1] !== other[to - 1])
      diagonal = row[to] as number
      row[to] = Math.min(changed, diagonal + 1, (row[to - 1] as number) + 1)
      least = Math.min(least, row[to] as number)
    }
    if (least > most) return most + 1
  }
  return Math.min(row[other.length] as number, most + 1)
}
