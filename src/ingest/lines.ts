import { createGunzip } from 'node:zlib'

export type Line = { number: number; bytes: Uint8Array } | { number: number; reason: string }

/** Longer than any record; what is longer is passed over without being held in memory. */
export const LONGEST_LINE = 4 * 1024 * 1024

const NEWLINE = 10

/** Packed bytes that are unpacked at once: a thousand times as many may come of them. */
const PIECE = 8 * 1024

/**
 * The lines of a source, plain or gzip, some at a time; blank ones are left out. A source that breaks off gives what
 * came before, and then the reason.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const splitter = createSplitter()
  try {
    for await (const chunk of await unpack(source)) {
      const lines = splitter.push(chunk)
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    yield [
      {
        number: splitter.end().at(-1)?.number ?? splitter.next(),
        reason: `cannot be read on: ${(error as Error).message}`,
      },
    ]
    return
  }
  const rest = splitter.end()
  if (rest.length > 0) yield rest
}

/** Cuts chunks into lines, holding at most one line in memory. */
function createSplitter() {
  let held: Uint8Array[] = []
  let heldLength = 0
  let number = 1

  function take(part: Uint8Array): Line | undefined {
    const length = heldLength + part.length
    const bytes = held.length === 0 ? part : Buffer.concat([...held, part])
    const line: Line | undefined =
      length > LONGEST_LINE
        ? { number, reason: `is longer than ${LONGEST_LINE / 1024 / 1024} MiB` }
        : isBlank(bytes)
          ? undefined
          : { number, bytes }
    held = []
    heldLength = 0
    number++
    return line
  }

  function hold(part: Uint8Array): void {
    heldLength += part.length
    // Of a line that is too long only the length matters.
    if (heldLength > LONGEST_LINE) held = []
    else if (part.length > 0) held.push(part.slice())
  }

  return {
    next: () => number,
    push(chunk: Uint8Array): Line[] {
      const lines: Line[] = []
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = take(chunk.subarray(start, end))
        if (line) lines.push(line)
        start = end + 1
      }
      hold(chunk.subarray(start))
      return lines
    },
    end(): Line[] {
      const line = heldLength > 0 ? take(new Uint8Array(0)) : undefined
      return line ? [line] : []
    },
  }
}

const isBlank = (bytes: Uint8Array) =>
  bytes.length < 64 && bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)

/** Gzip is known by its first two bytes, not by a file's name. */
async function unpack(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]()
  let head = new Uint8Array(0)
  while (head.length < 2) {
    const { value, done } = await iterator.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const whole = chain(head, iterator)
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole
  return inflate(whole)
}

/** Unpacks piece by piece, so that everything before a fault comes out; a stream drops what it holds when it fails. */
async function* inflate(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  let unpacked: Uint8Array[] = []
  const take = () => {
    const taken = unpacked
    unpacked = []
    return taken
  }
  let fault: unknown
  let wake = () => {}
  gunzip
    .on('data', (chunk) => unpacked.push(chunk))
    .on('end', () => wake())
    .on('error', (error) => {
      fault = error
      wake()
    })
  // After a fault nobody calls back.
  const step = (work: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve
      if (fault) resolve()
      else work(resolve)
    })
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE) {
      await step((done) => gunzip.write(chunk.subarray(at, at + PIECE), () => done()))
      yield* take()
      if (fault) throw fault
    }
  }
  await step(() => gunzip.end())
  yield* take()
  if (fault) throw fault
}

async function* chain(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
