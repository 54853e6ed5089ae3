/** JSON in its canonical form (RFC 8785): sorted names, no blanks. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  // Texts are compared by their UTF-16 code units, as the RFC requires.
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`).join(',')}}`
}

/** In hexadecimal. */
export const sha256 = (data: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(data).digest('hex')

/** The digest of a rule set does not depend on the format of its text. */
export const digestOfRules = (text: string): string => sha256(canonicalJson(JSON.parse(text)))
