/** A UUID (version 8) derived from a text. */
export function stableId(text: string): string {
  const part = (seed: number) => toHex(mix(fnv1a(`${seed}:${text}`)))
  const hex = part(1) + part(2) + part(3) + part(4)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** FNV-1a, 32 bits. It detects changes, but an attacker can find another text with the same digest. */
export const digest = (text: string): string => toHex(fnv1a(text))

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}

const toHex = (hash: number) => (hash >>> 0).toString(16).padStart(8, '0')
