const MASK = 2n ** 53n - 1n

/** Names bytes: the same on every machine, in as many bits as a number holds exactly. */
export const hashOf = (bytes: string | Uint8Array, seed = 0): number =>
  Number(BigInt(Bun.hash(bytes, seed)) & MASK)

/** The ETag of a response body: the same bytes have the same one on every node. */
export const etagOf = (body: string | Uint8Array): string => `"${Bun.hash.xxHash64(body).toString(36)}"`
