/** Binary search: the number of leading indexes for which the condition holds. */
export function countWhile(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Adds to a sorted list that keeps only its first `most` members: sorting many more would take longer than reading
 * them.
 */
export function insertSorted<Member>(
  first: Member[],
  added: Member,
  isBefore: (one: Member, other: Member) => boolean,
  most: number,
): void {
  const last = first[most - 1]
  if (last !== undefined && isBefore(last, added)) return
  first.splice(
    countWhile(first.length, (at) => isBefore(first[at] as Member, added)),
    0,
    added,
  )
  if (first.length > most) first.pop()
}
