import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

export type SourceLine = { number: number; bytes: Uint8Array } | { number: number; reason: string }

/** Longer lines are reported without buffering them. */
export const LONGEST_LINE = 4 * 1024 * 1024

const NEWLINE = 10

/** Yields the lines of a plain or gzip source in batches, without blank lines. If the source fails, the last item has the reason. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourceLine[]> {
  let number = 1
  let held: Uint8Array[] = []
  let heldLength = 0

  function hold(part: Uint8Array): void {
    heldLength += part.length
    if (heldLength > LONGEST_LINE) held = []
    // A copy: the source may reuse its buffer.
    else if (part.length > 0) held.push(part.slice())
  }

  function endLine(part: Uint8Array): SourceLine[] {
    const length = heldLength + part.length
    const bytes = held.length === 0 ? part : Buffer.concat([...held, part])
    held = []
    heldLength = 0
    const line = { number: number++ }
    if (length > LONGEST_LINE)
      return [{ ...line, reason: `is longer than ${LONGEST_LINE / 1024 / 1024} MiB` }]
    return isBlank(bytes) ? [] : [{ ...line, bytes }]
  }

  try {
    for await (const chunk of await unpack(source)) {
      const lines: SourceLine[] = []
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(...endLine(chunk.subarray(start, end)))
        start = end + 1
      }
      hold(chunk.subarray(start))
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    yield [{ number, reason: `cannot be read any further: ${(error as Error).message}` }]
    return
  }
  if (heldLength > 0) yield endLine(new Uint8Array(0))
}

const isBlank = (bytes: Uint8Array) =>
  bytes.length < 64 && bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)

/** Detects gzip by its first two bytes, not by the file name. */
async function unpack(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]()
  let head = new Uint8Array(0)
  while (head.length < 2) {
    const { value, done } = await iterator.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const bytes = chain(head, iterator)
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes
  return pipeline(bytes, createGunzip(), () => undefined)
}

async function* chain(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
