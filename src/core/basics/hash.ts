/** xxHash64: the same on every machine and in every version. */
export const hashOf = (content: string | Uint8Array): string => Bun.hash.xxHash64(content).toString(36)

export const etagOf = (body: string | Uint8Array): string => `"${hashOf(body)}"`
