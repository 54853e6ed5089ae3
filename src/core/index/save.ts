import { hasBit, wordsFor } from '../basics/bits.ts'
import { GROUP_FIELDS } from '../lists/list-request.ts'
import { createPassportIndex, listPostings, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { countIn, fromBits, fromList, type Posting, slotsOf } from './posting.ts'

/** Raise it when the meaning of the bytes changes, or the values that an index has, such as the rules of folding. */
const FORMAT = 0x706f7302

/** A chunk is a row of a table. */
const LARGEST_CHUNK = 1_000_000

/**
 * `types` are those of `points`. `labels` are by field, `keys` by the maps of `listPostings`. `lengths`: the bytes of
 * the arrays.
 */
type Head = {
  cursor: string
  count: number
  types: string[]
  labels: [string, string][][]
  keys: (string | number)[][]
  lengths: number[]
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
  const { count, labels } = index
  const types = [...index.points].filter(([type]) => isUsed(index, index.values.type.get(type)))
  const maps = listPostings({ ...index, points: new Map(types) })
  const used = maps.map((map) => [...map].filter(([, posting]) => isUsed(index, posting)))
  const postings = used.flatMap((entries) => entries.map(([, posting]) => posting))
  const sizes = new Uint32Array(2 * postings.length)
  for (const [at, posting] of postings.entries()) sizes.set([posting.count, wordsOf(posting, count)], 2 * at)
  const arrays = [...listArrays(index), sizes].map(bytesOf)
  const keys = used.map((entries) => entries.map(([key]) => key))
  const head: Head = {
    ...{ cursor, count, types: types.map(([type]) => type), keys },
    labels: GROUP_FIELDS.map((field, at) => keys[at]?.flatMap((key) => entryOf(labels[field], key)) ?? []),
    lengths: [index.ids.BYTES_PER_ELEMENT * count, ...arrays.map(({ length }) => length)],
  }
  const bytes = new TextEncoder().encode(JSON.stringify(head))
  yield bytesOf(Uint32Array.of(FORMAT, bytes.length))
  yield bytes
  yield* listIds(index)
  yield* arrays
  for (const { list, bits, count: slots } of postings)
    yield bytesOf(list ? list.subarray(0, slots) : (bits as Int32Array).subarray(0, wordsFor(count)))
}

const listArrays = ({ count, scores, alive, names: { starts, bytes } }: PassportIndex) => [
  ...SCORE_FIELDS.map((field) => scores[field].subarray(0, count)),
  alive.subarray(0, wordsFor(count)),
  starts.subarray(0, count + 1),
  bytes.subarray(0, starts[count]),
]

/** Removed passports have the id 0. */
function* listIds({ count, ids, alive }: PassportIndex): Generator<Uint8Array> {
  const step = LARGEST_CHUNK / ids.BYTES_PER_ELEMENT
  for (let from = 0; from < count; from += step) {
    const kept = ids.slice(from, Math.min(from + step, count))
    for (let at = 0; at < kept.length; at++) if (hasBit(alive, from + at) === 0) kept[at] = 0
    yield bytesOf(kept)
  }
}

function isUsed({ alive, removed }: PassportIndex, posting: Posting | undefined): boolean {
  if (!posting || removed.length === 0) return posting !== undefined
  if (!posting.list) return countIn(alive, posting) > 0
  return slotsOf(posting).some((slot) => hasBit(alive, slot) === 1)
}

/** The words of bits; 0 for a list. */
const wordsOf = ({ bits }: Posting, slots: number) => (bits ? Math.min(bits.length, wordsFor(slots)) : 0)

function entryOf(labels: ReadonlyMap<string, string>, key: string | number): [string, string][] {
  const label = labels.get(String(key))
  return label === undefined ? [] : [[String(key), label]]
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Loads a saved index. Returns `undefined` for another format, or if the copy is not complete. */
export async function loadIndex(
  chunks: Chunks,
): Promise<{ index: PassportIndex; cursor: string } | undefined> {
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
  const contents = (async function* () {
    yield* chunks
  })()
  let rest = new Uint8Array(0)
  return async (length) => {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      const { value } = rest.length > 0 ? { value: rest } : await contents.next()
      if (!value) throw new EndOfCopy()
      const part = value.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.length
      rest = value.subarray(part.length) as Uint8Array<ArrayBuffer>
    }
    return bytes.buffer
  }
}

async function readIndex(read: Read, { count, types, labels, keys, lengths }: Head): Promise<PassportIndex> {
  const index = createPassportIndex()
  const arrays = lengths.values()
  const readNext = () => read(arrays.next().value ?? 0)
  index.count = count
  index.ids = new Float64Array(await readNext())
  for (const field of SCORE_FIELDS) index.scores[field] = new Float64Array(await readNext())
  index.alive = new Int32Array(await readNext())
  for (let slot = 0; slot < count; slot++) if (hasBit(index.alive, slot) === 0) index.removed.push(slot)
  index.names.starts = new Uint32Array(await readNext())
  index.names.bytes = new Uint8Array(await readNext())
  for (const [at, field] of GROUP_FIELDS.entries()) index.labels[field] = new Map(labels[at])
  for (const type of types) index.points.set(type, new Map())
  const sizes = new Uint32Array(await readNext()).values()
  for (const [at, map] of listPostings(index).entries()) await readPostings(read, map, keys[at] ?? [], sizes)
  return index
}

/** The postings of a map have one buffer. */
async function readPostings(
  read: Read,
  map: Map<string | number, Posting>,
  keys: readonly (string | number)[],
  sizes: Iterator<number>,
): Promise<void> {
  const next = () => sizes.next().value ?? 0
  const counts = keys.map(() => [next(), next()] as const)
  const buffer = await read(4 * counts.reduce((sum, [count, words]) => sum + (words || count), 0))
  let offset = 0
  for (const [at, key] of keys.entries()) {
    const [count, words] = counts[at] as readonly [number, number]
    map.set(
      key,
      words > 0
        ? fromBits(new Int32Array(buffer, offset, words), count)
        : fromList(new Uint32Array(buffer, offset, count)),
    )
    offset += 4 * (words || count)
  }
}
