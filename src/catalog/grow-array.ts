type Numbers = Float64Array | Uint32Array | Uint8Array

type Constructor<T> = new (length: number | ArrayBufferLike) => T

/** A longer array that begins with the same numbers, in a buffer of the same kind. */
export function grow<T extends Numbers>(from: T, length: number): T {
  const buffer = new (from.buffer.constructor as Constructor<ArrayBufferLike>)(
    length * from.BYTES_PER_ELEMENT,
  )
  const larger = new (from.constructor as Constructor<T>)(buffer)
  larger.set(from)
  return larger
}
