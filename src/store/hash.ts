/** xxHash64 of the text or bytes: the same on every machine and in every version. */
export const hashOf = (content: string | Uint8Array): string => Bun.hash.xxHash64(content).toString(36)

/** The ETag of a response body. */
export const etagOf = (body: string | Uint8Array): string => `"${hashOf(body)}"`
