import { hasBit, wordsFor } from '../basics/bits.ts'
import { createPassportIndex, listPostings, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { countIn, fromBits, fromList, type Posting, slotsOf } from './posting.ts'

/** Raise it when the meaning of the bytes changes, or the values that an index has, such as the rules of folding. */
const FORMAT = 0x706f7304

/** A chunk is a row of a table. A larger one would delay lists. */
const LARGEST_CHUNK = 250_000

/** `bytes` is the length of the names, `types` are those of `points`. */
type Head = { cursor: string; count: number; bytes: number; types: string[] }

/** A key of a posting, its number of slots, its words if it is bits or 0 for a list, and its label. */
type SavedPosting = [key: string | number, count: number, words: number, label: string | null | undefined]

type Postings = Map<string | number, Posting>

/** Postings without a pause. */
const POSTINGS = 2000

/**
 * Saves the index with the cursor of the last event that it includes. Lists can be evaluated between two chunks, but
 * the index must not change until the last one. The copy has no id, name or value that only removed passports have.
 */
export function* saveIndex(index: PassportIndex, cursor: string): Generator<Uint8Array> {
  let chunk = new Uint8Array(LARGEST_CHUNK)
  let length = 0
  for (const piece of listPieces(index, cursor))
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + chunk.length - length)
      chunk.set(part, length)
      length += part.length
      at += part.length
      if (length < chunk.length) continue
      yield chunk
      chunk = new Uint8Array(LARGEST_CHUNK)
      length = 0
    }
  if (length > 0) yield chunk.subarray(0, length)
}

/** The format, the head, the arrays, and the maps of `listPostings`. */
function* listPieces(index: PassportIndex, cursor: string): Generator<Uint8Array> {
  const { count, values, ids, alive, names } = index
  const points = [...index.points].filter(([type]) => isUsed(index, values.type.get(type)))
  const bytes = names.starts[count] as number
  yield bytesOf(Uint32Array.of(FORMAT))
  yield* encodeJson({ cursor, count, bytes, types: points.map(([type]) => type) } satisfies Head)
  // Removed passports have the id 0.
  yield bytesOf(ids.subarray(0, count).map((id, slot) => id * hasBit(alive, slot)))
  for (const field of SCORE_FIELDS) yield bytesOf(index.scores[field].subarray(0, count))
  yield bytesOf(alive.subarray(0, wordsFor(count)))
  yield bytesOf(names.starts.subarray(0, count + 1))
  yield names.bytes.subarray(0, bytes)
  for (const map of listPostings({ ...index, points: new Map(points) })) yield* listPostingPieces(index, map)
}

/** Some keys and their lists or bits, the next ones, and so on. No keys are the end. */
function* listPostingPieces(index: PassportIndex, map: Postings): Generator<Uint8Array> {
  const words = wordsFor(index.count)
  const all = [...map]
  for (let at = 0; at < all.length; at += POSTINGS) {
    const used = all.slice(at, at + POSTINGS).filter(([, posting]) => isUsed(index, posting))
    if (used.length === 0) continue
    const toSaved = ([key, { bits, count, label }]: (typeof used)[number]): SavedPosting => [
      key,
      count,
      Math.min(bits?.length ?? 0, words),
      label,
    ]
    yield* encodeJson(used.map(toSaved))
    for (const [, { list, bits, count }] of used)
      yield bytesOf(list ? list.subarray(0, count) : (bits as Int32Array).subarray(0, words))
  }
  yield* encodeJson([])
}

function isUsed({ alive, removed }: PassportIndex, posting: Posting | undefined): boolean {
  if (!posting || removed.length === 0) return posting !== undefined
  if (!posting.list) return countIn(alive, posting) > 0
  return slotsOf(posting).some((slot) => hasBit(alive, slot) === 1)
}

function* encodeJson(value: unknown): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  yield bytesOf(Uint32Array.of(bytes.length))
  yield bytes
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

type Chunks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>

/** Loads a saved index. Returns `undefined` for another format, or if the copy is not complete. */
export async function loadIndex(chunks: Chunks) {
  try {
    const read = createReader(chunks)
    const [format] = new Uint32Array(await read(4))
    if (format !== FORMAT) return undefined
    const head = await readChunk<Head>(read)
    return { index: await readIndex(read, head), cursor: head.cursor }
  } catch (error) {
    if (error instanceof EndOfCopy) return undefined
    throw error
  }
}

class EndOfCopy extends Error {}

/** Reads the next bytes into a buffer of their own, so that arrays of numbers can begin at its start. */
type Read = (length: number) => Promise<ArrayBuffer>

function createReader(chunks: Chunks): Read {
  let rest = new Uint8Array(0)
  return async (length) => {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      const { value } = rest.length > 0 ? { value: rest } : await chunks.next()
      if (!value) throw new EndOfCopy()
      const part = value.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.length
      rest = value.subarray(part.length) as Uint8Array<ArrayBuffer>
    }
    return bytes.buffer
  }
}

async function readChunk<Value>(read: Read): Promise<Value> {
  const [length = 0] = new Uint32Array(await read(4))
  return JSON.parse(new TextDecoder().decode(await read(length)))
}

async function readIndex(read: Read, { count, bytes, types }: Head): Promise<PassportIndex> {
  const index = createPassportIndex()
  index.count = count
  index.ids = new Float64Array(await read(8 * count))
  for (const field of SCORE_FIELDS) index.scores[field] = new Float64Array(await read(8 * count))
  index.alive = new Int32Array(await read(4 * wordsFor(count)))
  for (let slot = 0; slot < count; slot++) if (hasBit(index.alive, slot) === 0) index.removed.push(slot)
  index.names.starts = new Uint32Array(await read(4 * (count + 1)))
  index.names.bytes = new Uint8Array(await read(bytes))
  for (const type of types) index.points.set(type, new Map())
  for (const map of listPostings(index)) await readPostings(read, map)
  return index
}

/** Some postings share a buffer. */
async function readPostings(read: Read, map: Postings): Promise<void> {
  for (;;) {
    const saved = await readChunk<SavedPosting[]>(read)
    if (saved.length === 0) return
    const buffer = await read(4 * saved.reduce((sum, [, count, words]) => sum + (words || count), 0))
    let offset = 0
    for (const [key, count, words, label] of saved) {
      const bits = words > 0 && fromBits(new Int32Array(buffer, offset, words), count)
      const posting = bits || fromList(new Uint32Array(buffer, offset, count))
      map.set(key, label ? { ...posting, label } : posting)
      offset += 4 * (words || count)
    }
  }
}
