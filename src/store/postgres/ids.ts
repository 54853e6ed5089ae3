import { createScoreCounter, type ScoreCounts } from '../../domain/standing.ts'

/** Ids decoded before other requests have their turn. */
const STEP = 100_000

/** Ids as `int8send` gives them, eight bytes each, one after the other. */
export async function readIds(bytes: Buffer | null | undefined): Promise<Float64Array> {
  if (!bytes) return new Float64Array(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ids = new Float64Array(bytes.byteLength / 8)
  for (let at = 0; at < ids.length; at++) {
    if (at > 0 && at % STEP === 0) await new Promise(setImmediate)
    ids[at] = readId(view, at * 8)
  }
  return ids
}

/** Each id with its score after it, as `float8send` gives it, from the highest score to the lowest. */
export async function readRanked(
  bytes: Buffer | null | undefined,
): Promise<{ ids: Float64Array<ArrayBuffer>; scores: ScoreCounts }> {
  const counter = createScoreCounter()
  const view = bytes
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new DataView(new ArrayBuffer(0))
  const ids = new Float64Array(view.byteLength / 16)
  for (let at = 0; at < ids.length; at++) {
    if (at > 0 && at % STEP === 0) await new Promise(setImmediate)
    ids[at] = readId(view, at * 16)
    counter.add(view.getFloat64(at * 16 + 8))
  }
  return { ids, scores: counter.counts }
}

const readId = (view: DataView, at: number) => view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4)
