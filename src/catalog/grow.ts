type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** A longer array that begins with the same numbers. */
export function grow<T extends Numbers>(from: T, length: number): T {
  const larger = new (from.constructor as new (length: number) => T)(length)
  larger.set(from)
  return larger
}
