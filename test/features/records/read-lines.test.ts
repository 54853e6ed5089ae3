import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { LONGEST_LINE, readLines, type SourceLine } from '../../../src/features/records/import.ts'

const MEBIBYTE = 1024 * 1024
const bytes = (text: string) => new TextEncoder().encode(text)

async function* inChunks(whole: Uint8Array, size = whole.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size)
}

/** The number of each line, and its text or the reason of its refusal. */
async function read(source: AsyncIterable<Uint8Array>): Promise<[number, string][]> {
  const lines: SourceLine[] = []
  for await (const some of readLines(source)) lines.push(...some)
  return lines.map((line) => [
    line.number,
    'reason' in line ? `! ${line.reason}` : new TextDecoder().decode(line.bytes),
  ])
}

const TEXT = 'Łódź 🐉 東京\nsecond\n\n  \t\nHà Nội\r\nlast'
const LINES: [number, string][] = [
  [1, 'Łódź 🐉 東京'],
  [2, 'second'],
  [5, 'Hà Nội\r'],
  [6, 'last'],
]

test.each([
  ['plain text', bytes(TEXT)],
  ['gzip', gzipSync(TEXT)],
])(
  'readLines yields the same lines of %s for every chunk size, even if a chunk ends inside a character',
  async (_, whole) => {
    for (let size = 1; size <= whole.length; size++) expect(await read(inChunks(whole, size))).toEqual(LINES)
  },
)

test.each<[string, string[], [number, string][]]>([
  ['an empty source', [''], []],
  ['a text with a newline at its end', ['a\n'], [[1, 'a']]],
  [
    'blank lines and empty chunks',
    ['', '\n\na', '', 'b\n', '\n', 'c', ''],
    [
      [3, 'ab'],
      [5, 'c'],
    ],
  ],
])('readLines reads %s', async (_, chunks, lines) => {
  async function* source() {
    for (const chunk of chunks) yield bytes(chunk)
  }
  expect(await read(source())).toEqual(lines)
  expect(await read(inChunks(gzipSync(chunks.join(''))))).toEqual(lines)
})

test('readLines copies each chunk, so that the source can reuse its buffer', async () => {
  async function* source() {
    const chunk = bytes('one half ')
    yield chunk
    chunk.set(bytes('the other'))
    yield chunk
    yield bytes('\n')
  }
  expect(await read(source())).toEqual([[1, 'one half the other']])
})

const many = Array.from({ length: 20_000 }, (_, at) => `{"passport_id":${at},"mix":${Math.imul(at, 48271)}}`)
const packed = gzipSync(`${many.join('\n')}\n`)

test('a gzip file with several members is read as one text', async () => {
  const members = Buffer.concat([gzipSync('one\ntw'), gzipSync(''), gzipSync('o\nthree\n')])
  for (const size of [1, 7, members.length]) {
    expect(await read(inChunks(members, size))).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ])
  }
})

test.each([
  ['a line', packed.length / 2],
  ['its checksum', packed.length - 4],
  ['its header', 5],
])('gzip that is truncated in %s yields the complete lines, then an error', async (_, length) => {
  const lines = await read(inChunks(packed.subarray(0, length), 5000))
  const last = lines.pop()
  expect(lines.map(([, text]) => text)).toEqual(many.slice(0, lines.length))
  expect(last).toEqual([lines.length + 1, '! cannot be read any further: unexpected end of file'])
})

test('a gzip file with garbage in the middle or at the end yields the lines before it, then an error', async () => {
  const damaged = Buffer.from(packed)
  damaged.fill(0, packed.length / 2, packed.length / 2 + 500)
  for (const given of [damaged, Buffer.concat([packed, bytes('something else')])]) {
    const lines = await read(inChunks(given, 4096))
    expect(lines.slice(0, 5000).map(([, text]) => text)).toEqual(many.slice(0, 5000))
    expect(lines.at(-1)).toEqual([
      lines.length,
      expect.stringMatching(/^! cannot be read any further: \w[\w /-]+$/),
    ])
  }
})

test('a source that fails yields the lines before the failure, then an error', async () => {
  async function* source() {
    yield bytes('one\ntwo\nhal')
    throw new Error('the disk is gone')
  }
  expect(await read(source())).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, '! cannot be read any further: the disk is gone'],
  ])
})

test('a line of the maximum length is read, and a longer one is skipped', async () => {
  const source = inChunks(bytes(`${'x'.repeat(LONGEST_LINE)}\n${'y'.repeat(LONGEST_LINE + 1)}\nz`), 100_000)
  const [longest, tooLong, after] = await read(source)
  expect(longest?.[1]).toHaveLength(LONGEST_LINE)
  expect([tooLong, after]).toEqual([
    [2, '! is longer than 4 MiB'],
    [3, 'z'],
  ])
})

const WITHOUT_LONG_LINE: [number, string][] = [
  [1, 'before'],
  [2, '! is longer than 4 MiB'],
  [3, 'after'],
]

test('a line of 50 MB is skipped with bounded memory, and the lines after it are read', async () => {
  const chunk = bytes('x'.repeat(MEBIBYTE / 16))
  const start = process.memoryUsage.rss()
  let highest = 0
  async function* source() {
    yield bytes('before\n')
    for (let at = 0; at < 800; at++) {
      yield chunk
      highest = Math.max(highest, process.memoryUsage.rss())
    }
    yield bytes('\nafter\n')
  }
  expect(await read(source())).toEqual(WITHOUT_LONG_LINE)
  expect(highest - start).toBeLessThan(25 * MEBIBYTE)
})

test('a line of 50 MB in a small gzip file is skipped too', async () => {
  const source = inChunks(gzipSync(`before\n${'x'.repeat(50 * MEBIBYTE)}\nafter\n`))
  expect(await read(source)).toEqual(WITHOUT_LONG_LINE)
})
