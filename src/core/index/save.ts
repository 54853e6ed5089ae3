import { crc32 } from 'node:zlib'
import { GROUP_FIELDS } from '../lists/list-request.ts'
import { type Bits, hasBit, wordsFor } from './bits.ts'
import { createPassportIndex, listPostings, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { countIn, fromBits, fromList, type Posting, slotsOf } from './posting.ts'

/** Raise it when the meaning of the bytes changes, or the values that an index has, such as the rules of folding. */
const FORMAT = 1

/** A chunk is a row of a table. */
const LARGEST_CHUNK = 1_000_000

const CHECKSUM_BYTES = 4

/** Heads of all formats have `format`. `types` are those of `points`. */
type Head = { format: number; cursor: string; count: number; types: string[] }

/**
 * Saves the index with the cursor of the last event that it includes, which has the name of the log and the number. Lists can be evaluated between two chunks, but the index must not
 * change until the last one. The copy has no id, name or value that only removed passports have.
 */
export function* saveIndex(index: PassportIndex, cursor: string): Generator<Uint8Array> {
  let chunk = new Uint8Array(LARGEST_CHUNK)
  let length = CHECKSUM_BYTES
  let checksum = 0
  /** Each checksum includes the one before, so that chunks of two copies do not make one. */
  const seal = (): Uint8Array => {
    checksum = crc32(chunk.subarray(CHECKSUM_BYTES, length), checksum)
    new DataView(chunk.buffer).setUint32(0, checksum)
    return chunk.subarray(0, length)
  }
  for (const piece of listPieces(index, cursor)) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + chunk.length - length)
      chunk.set(part, length)
      length += part.length
      at += part.length
      if (length < chunk.length) continue
      yield seal()
      chunk = new Uint8Array(LARGEST_CHUNK)
      length = CHECKSUM_BYTES
    }
  }
  if (length > CHECKSUM_BYTES) yield seal()
}

function* listPieces(index: PassportIndex, cursor: string): Generator<Uint8Array> {
  const { count, removed, scores, names } = index
  const head: Head = { format: FORMAT, cursor, count, types: [...index.points.keys()] }
  yield* section(toBytes(JSON.stringify(head)))
  const ids = index.ids.slice(0, count)
  for (const slot of removed) ids[slot] = 0
  yield* section(bytesOf(ids))
  for (const field of SCORE_FIELDS) yield* section(bytesOf(scores[field].subarray(0, count)))
  yield* section(bytesOf(index.alive.subarray(0, wordsFor(count))))
  yield* section(bytesOf(names.starts.subarray(0, count + 1)))
  yield* section(names.bytes.subarray(0, names.starts[count]))
  for (const field of GROUP_FIELDS) {
    const labels = [...index.labels[field]].filter(([value]) => isUsed(index, index.values[field].get(value)))
    yield* section(toBytes(JSON.stringify(labels)))
  }
  for (const postings of listPostings(index)) yield* savePostings(index, postings)
}

/** A section is its length, then its bytes. */
function* section(...parts: readonly Uint8Array[]): Generator<Uint8Array> {
  yield bytesOf(Uint32Array.of(parts.reduce((sum, { length }) => sum + length, 0)))
  yield* parts
}

/** Keys have no line feed. */
const KEY_END = '\n'

/** Three sections: the keys; the number of slots and, for bits, the number of words of each posting; the lists and bits. */
function* savePostings(
  index: PassportIndex,
  postings: ReadonlyMap<string | number, Posting>,
): Generator<Uint8Array> {
  const used = [...postings].filter(([, posting]) => isUsed(index, posting))
  const contents = used.map(([, posting]) =>
    posting.list ? slotsOf(posting.list, posting) : (posting.bits as Bits).subarray(0, wordsFor(index.count)),
  )
  const sizes = used.flatMap(([, { count, bits }], at) => [count, bits ? (contents[at] as Bits).length : 0])
  yield* section(toBytes(used.map(([key]) => key).join(KEY_END)))
  yield* section(bytesOf(Uint32Array.from(sizes)))
  yield* section(...contents.map(bytesOf))
}

function isUsed({ alive, removed }: PassportIndex, posting: Posting | undefined): boolean {
  if (!posting || removed.length === 0) return posting !== undefined
  if (!posting.list) return countIn(alive, posting) > 0
  return slotsOf(posting.list, posting).some((slot) => hasBit(alive, slot) === 1)
}

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Loads a saved index. Returns `undefined` for another format, or if the copy is damaged or not complete. */
export async function loadIndex(
  chunks: Chunks,
): Promise<{ index: PassportIndex; cursor: string } | undefined> {
  try {
    const reader = createReader(chunks)
    const { format, cursor, ...head }: Head = JSON.parse(toText(await reader.read()))
    if (format !== FORMAT) return undefined
    const index = await readIndex(reader.read, head)
    await reader.end()
    return { index, cursor }
  } catch (error) {
    if (error instanceof DamagedCopy) return undefined
    throw error
  }
}

class DamagedCopy extends Error {}

/** Reads the next section. It has a buffer of its own, so that arrays of numbers can begin at its start. */
type ReadSection = () => Promise<Uint8Array<ArrayBuffer>>

function createReader(chunks: Chunks): { read: ReadSection; end: () => Promise<void> } {
  const contents = verify(chunks)
  let rest = new Uint8Array(0)
  const readBytes = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      if (rest.length === 0) {
        const { value } = await contents.next()
        if (!value) throw new DamagedCopy()
        rest = value
      }
      const part = rest.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
    }
    return bytes
  }
  return {
    read: async () => readBytes(new Uint32Array((await readBytes(4)).buffer)[0] as number),
    async end() {
      if (rest.length > 0 || (await contents.next()).value) throw new DamagedCopy()
    },
  }
}

async function* verify(chunks: Chunks): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let checksum = 0
  for await (const chunk of chunks) {
    if (chunk.length <= CHECKSUM_BYTES) throw new DamagedCopy()
    const content = chunk.subarray(CHECKSUM_BYTES)
    checksum = crc32(content, checksum)
    const expected = new DataView(chunk.buffer, chunk.byteOffset).getUint32(0)
    if (checksum !== expected) throw new DamagedCopy()
    yield content as Uint8Array<ArrayBuffer>
  }
}

async function readIndex(
  read: ReadSection,
  { count, types }: Pick<Head, 'count' | 'types'>,
): Promise<PassportIndex> {
  const index = createPassportIndex()
  index.count = count
  index.ids = new Float64Array((await read()).buffer)
  for (const id of index.ids) index.highestId = Math.max(index.highestId, id)
  for (const field of SCORE_FIELDS) index.scores[field] = new Float64Array((await read()).buffer)
  index.alive = new Int32Array((await read()).buffer)
  for (let slot = 0; slot < count; slot++) if (hasBit(index.alive, slot) === 0) index.removed.push(slot)
  index.names.starts = new Uint32Array((await read()).buffer)
  index.names.bytes = await read()
  for (const field of GROUP_FIELDS) index.labels[field] = new Map(JSON.parse(toText(await read())))
  for (const field of GROUP_FIELDS) index.values[field] = await readPostings(read, String)
  for (const type of types) index.points.set(type, await readPostings(read, Number))
  index.names.trigrams = await readPostings(read, Number)
  return index
}

async function readPostings<Key>(
  read: ReadSection,
  toKey: (text: string) => Key,
): Promise<Map<Key, Posting>> {
  const keys = toText(await read()).split(KEY_END)
  const sizes = new Uint32Array((await read()).buffer)
  const { buffer } = await read()
  const postings = new Map<Key, Posting>()
  let offset = 0
  for (let at = 0; 2 * at < sizes.length; at++) {
    const [count, words] = [sizes[2 * at] as number, sizes[2 * at + 1] as number]
    const posting =
      words > 0
        ? fromBits(new Int32Array(buffer, offset, words), count)
        : fromList(new Uint32Array(buffer, offset, count))
    postings.set(toKey(keys[at] as string), posting)
    offset += Uint32Array.BYTES_PER_ELEMENT * (words || count)
  }
  return postings
}
