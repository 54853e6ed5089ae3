/** A UUID of our own making (version 8) that is always the same for the same text. */
export function stableId(text: string): string {
  const part = (seed: number) => hash(`${seed}:${text}`).toString(16).padStart(8, '0')
  const hex = part(1) + part(2) + part(3) + part(4)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** FNV-1a with a final mix. */
function hash(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  return (state ^ (state >>> 13)) >>> 0
}
