import { hasBit, wordsFor } from '../basics/bits.ts'
import { GROUP_FIELDS } from '../lists/list-request.ts'
import { createPassportIndex, listPostings, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { countIn, fromBits, fromList, type Posting, slotsOf } from './posting.ts'

/** Raise it when the meaning of the bytes changes, or the values that an index has, such as the rules of folding. */
const FORMAT = 0x706f7303

/** A chunk is a row of a table. */
const LARGEST_CHUNK = 1_000_000

/** A key of a posting, its number of slots, and its words if it is bits; 0 for a list. */
type SavedPosting = [key: string | number, count: number, words: number]

/** `bytes` is the length of the names, `types` are those of `points`, and `postings` are by the maps of `listPostings`. */
type Head = {
  cursor: string
  count: number
  bytes: number
  types: string[]
  labels: [string, string][][]
  postings: SavedPosting[][]
}

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

/** The format and the size of the head, the head, the arrays, and the lists or bits of all postings. */
function* listPieces(index: PassportIndex, cursor: string): Generator<Uint8Array> {
  const { count, labels, values, ids, alive, names } = index
  const types = [...index.points].filter(([type]) => isUsed(index, values.type.get(type)))
  const maps = listPostings({ ...index, points: new Map(types) })
  const used = maps.map((map) => [...map].filter(([, posting]) => isUsed(index, posting)))
  const head: Head = {
    ...{ cursor, count, bytes: names.starts[count] as number, types: types.map(([type]) => type) },
    labels: GROUP_FIELDS.map((field) =>
      [...labels[field]].filter(([value]) => isUsed(index, values[field].get(value))),
    ),
    postings: used.map((map) => map.map(([key, posting]) => [key, posting.count, wordsOf(posting, count)])),
  }
  const bytes = new TextEncoder().encode(JSON.stringify(head))
  yield bytesOf(Uint32Array.of(FORMAT, bytes.length))
  yield bytes
  // Removed passports have the id 0.
  yield bytesOf(ids.subarray(0, count).map((id, slot) => id * hasBit(alive, slot)))
  for (const field of SCORE_FIELDS) yield bytesOf(index.scores[field].subarray(0, count))
  yield bytesOf(alive.subarray(0, wordsFor(count)))
  yield bytesOf(names.starts.subarray(0, count + 1))
  yield names.bytes.subarray(0, head.bytes)
  for (const { list, bits, count: slots } of used.flatMap((map) => map.map(([, posting]) => posting)))
    yield bytesOf(list ? list.subarray(0, slots) : (bits as Int32Array).subarray(0, wordsFor(count)))
}

function isUsed({ alive, removed }: PassportIndex, posting: Posting | undefined): boolean {
  if (!posting || removed.length === 0) return posting !== undefined
  if (!posting.list) return countIn(alive, posting) > 0
  return slotsOf(posting).some((slot) => hasBit(alive, slot) === 1)
}

/** The words of bits; 0 for a list. */
const wordsOf = ({ bits }: Posting, slots: number) => (bits ? Math.min(bits.length, wordsFor(slots)) : 0)

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

type Chunks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>

/** Loads a saved index. Returns `undefined` for another format, or if the copy is not complete. */
export async function loadIndex(chunks: Chunks) {
  try {
    const read = createReader(chunks)
    const [format, size = 0] = new Uint32Array(await read(8))
    if (format !== FORMAT) return undefined
    const head: Head = JSON.parse(new TextDecoder().decode(await read(size)))
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

async function readIndex(read: Read, head: Head): Promise<PassportIndex> {
  const { count, bytes, types, labels, postings } = head
  const index = createPassportIndex()
  index.count = count
  index.ids = new Float64Array(await read(8 * count))
  for (const field of SCORE_FIELDS) index.scores[field] = new Float64Array(await read(8 * count))
  index.alive = new Int32Array(await read(4 * wordsFor(count)))
  for (let slot = 0; slot < count; slot++) if (hasBit(index.alive, slot) === 0) index.removed.push(slot)
  index.names.starts = new Uint32Array(await read(4 * (count + 1)))
  index.names.bytes = new Uint8Array(await read(bytes))
  for (const [at, field] of GROUP_FIELDS.entries()) index.labels[field] = new Map(labels[at])
  for (const type of types) index.points.set(type, new Map())
  for (const [at, map] of listPostings(index).entries()) await readPostings(read, map, postings[at] ?? [])
  return index
}

/** The postings of a map have one buffer. */
async function readPostings(read: Read, map: Map<string | number, Posting>, saved: readonly SavedPosting[]) {
  const buffer = await read(4 * saved.reduce((sum, [, count, words]) => sum + (words || count), 0))
  let offset = 0
  for (const [key, count, words] of saved) {
    const bits = words > 0 && fromBits(new Int32Array(buffer, offset, words), count)
    map.set(key, bits || fromList(new Uint32Array(buffer, offset, count)))
    offset += 4 * (words || count)
  }
}
