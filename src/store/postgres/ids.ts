/** Ids decoded before other requests have their turn. */
const STEP = 100_000

/** Ids as `int8send` gives them, eight bytes each, one after the other. */
export async function readIds(bytes: Buffer | null | undefined): Promise<Float64Array> {
  if (!bytes) return new Float64Array(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ids = new Float64Array(bytes.byteLength / 8)
  for (let at = 0; at < ids.length; at++) {
    if (at > 0 && at % STEP === 0) await new Promise(setImmediate)
    ids[at] = view.getInt32(at * 8) * 2 ** 32 + view.getUint32(at * 8 + 4)
  }
  return ids
}
