/** A strong tag: the same bytes always have the same one, on every node. */
export const etagOf = (body: string): string => `"${Bun.hash(body).toString(36)}"`

/** Whether `If-None-Match` names the tag. A weak spelling of it counts, as RFC 9110 asks. */
export function isFresh(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}
