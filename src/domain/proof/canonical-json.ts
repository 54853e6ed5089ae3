import { createHash } from 'node:crypto'

/** JSON in its canonical form (RFC 8785): sorted names, no blanks. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  // The default order compares UTF-16 code units, as the RFC requires.
  const names = new Map(members)
  const texts = [...names.keys()]
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(names.get(name))}`)
  return `{${texts.join(',')}}`
}

/** In hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
