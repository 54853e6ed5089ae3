const MASK = 2n ** 53n - 1n

/** Names bytes: the same on every machine, in as many bits as a number holds exactly. */
export const hashOf = (bytes: string | Uint8Array, seed = 0): number =>
  Number(BigInt(Bun.hash(bytes, seed)) & MASK)
