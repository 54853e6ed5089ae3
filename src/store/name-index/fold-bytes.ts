import { foldName } from '../../domain/name.ts'

/** Letters below this one fold to the same whatever stands beside them. */
const SIMPLE = 0x250

const SPACE = 0x20

/** What each simple letter folds to: one byte, or two with the first one low; 0 where that is not enough. */
const FOLDED = Uint16Array.from({ length: SIMPLE }, (_, code) => {
  const text = foldName(`x${String.fromCharCode(code)}x`).slice(1, -1)
  const bytes = Buffer.from(text)
  return bytes.length > 2 || bytes.length > text.length || bytes.includes(0)
    ? 0
    : (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8)
})

/** Writes a name as `foldName` spells it, in UTF-8, and tells where it ends; nothing where there is not enough room. */
export function foldInto(bytes: Buffer, start: number, name: string): number | undefined {
  if (start + name.length * 2 > bytes.length) return writeFolded(bytes, start, name)
  let end = start
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    const folded = code < SIMPLE ? (FOLDED[code] as number) : 0
    if (folded === 0) return writeFolded(bytes, start, name)
    if (folded === SPACE && (end === start || bytes[end - 1] === SPACE)) continue
    bytes[end++] = folded
    if (folded > 0xff) bytes[end++] = folded >>> 8
  }
  return end > start && bytes[end - 1] === SPACE ? end - 1 : end
}

function writeFolded(bytes: Buffer, start: number, name: string): number | undefined {
  const folded = foldName(name).replaceAll('\0', '\ufffd')
  if (start + Buffer.byteLength(folded) > bytes.length) return undefined
  return start + bytes.write(folded, start)
}
