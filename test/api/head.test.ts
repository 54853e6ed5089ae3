import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createHeadReader, type Head } from '../../src/api/wire/head.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const readFresh = (input: Buffer) => createHeadReader('127.0.0.1')(input, 0)
const get = (...lines: string[]) =>
  bytes(`GET /a HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)

test('a connection whose requests differ in If-None-Match has its fields read once', () => {
  const read = createHeadReader('127.0.0.1')
  const heads = ['"a"', ' \t"b", W/"c" ', ''].map(
    (tag) => read(get('Host: x', `if-none-match:${tag}`, 'X-API-KEY: k'), 0) as Head,
  )
  expect(heads.map((head) => head.ifNoneMatch)).toEqual(['"a"', '"b", W/"c"', ''])
  expect(new Set(heads.map((head) => head.fields)).size).toBe(1)
  expect([...(heads[0] as Head).fields]).toEqual([
    ['host', 'x'],
    ['x-api-key', 'k'],
  ])
})

const AROUND: [string, string][] = [
  ['Host: x\r\nX-API-KEY: k\r\n', ''],
  ['Host: x\r\n', 'X-API-KEY: k\r\n'],
  ['', 'Host: x\r\n'],
]

const CONDITIONS: [string, string][] = [
  ['one', 'If-None-Match: "a"\r\n'],
  ['another', 'If-None-Match: "b"\r\n'],
  ['none', ''],
  ['two', 'If-None-Match: "a"\r\nIf-None-Match: "b"\r\n'],
  ['two, one elsewhere', 'If-None-Match: "a"\r\nA: b\r\nif-none-match: "b"\r\n'],
  ['one in other letters', 'IF-NONE-MATCH: "a"\r\n'],
  ['one of another name', 'X-If-None-Match: "a"\r\n'],
  ['another of that name', 'X-If-None-Match: "b"\r\n'],
  ['an empty one', 'If-None-Match:\r\n'],
  ['one with a zero byte', 'If-None-Match: "\0"\r\n'],
  ['one with a carriage return', 'If-None-Match: "a\rb"\r\n'],
  ['one with a line feed', 'If-None-Match: "a\nb"\r\n'],
  ['a folded one', 'If-None-Match: "a",\r\n "b"\r\n'],
  ['one with a space before the colon', 'If-None-Match : "a"\r\n'],
  ['one and another key', 'If-None-Match: "a"\r\nX-API-KEY: other\r\n'],
  ['one and an end', 'If-None-Match: "a"\r\n\r\nX-API-KEY: other\r\n'],
  ['one and a length', 'If-None-Match: "a"\r\nContent-Length: 9\r\n'],
  ['one that is too long', `If-None-Match: "${'a'.repeat(70_000)}"\r\n`],
  ['one that is not whole', 'If-None-Match: "'],
]

test.each(CONDITIONS)('%s is read as on a fresh connection, whatever came before', (_, line) => {
  for (const [before, after] of AROUND) {
    const head = (lines: string) => bytes(`GET /a HTTP/1.1\r\n${before}${lines}${after}\r\n`)
    for (const [, earlier] of CONDITIONS) {
      const read = createHeadReader('127.0.0.1')
      read(head(earlier), 0)
      expect(read(head(line), 0)).toEqual(readFresh(head(line)))
    }
  }
})

/** Few of each, so that much comes again. */
const lineEnd = fc.constantFrom(...Array<string>(30).fill('\r\n'), '\n', '\r', '\r\n ', '\r\n\r\n')
const condition = fc
  .tuple(
    fc.constantFrom(
      'If-None-Match:',
      'If-None-Match:',
      'if-none-match: ',
      'If-None-Match :',
      'A-If-None-Match:',
    ),
    fc.oneof(
      fc.constantFrom('"a"', ' "b"', ' ', '*', '"a"\r\nX-API-KEY: l', '"a"\r\nIf-None-Match: "b"'),
      fc.string({ unit: fc.constantFrom('"', 'a', ',', ' ', '\t', '\xe9'), maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', ':', '\r', '\n', '\0', '\x7f'), maxLength: 4 }),
    ),
  )
  .map((parts) => parts.join(''))
const field = fc.constantFrom('X-API-KEY: k', 'X-API-KEY: l', 'Content-Length: 3', 'Connection: close')
const fields = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('Host: x'), condition) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('Host: x'), condition, fc.constant('X-API-KEY: k')) },
  { weight: 2, arbitrary: fc.array(fc.oneof(fc.constant('Host: x'), condition, field), { maxLength: 4 }) },
)
const line = fc.constantFrom('GET /a HTTP/1.1', '\r\nGET /b HTTP/1.1', 'GET /c HTTP/1.0', 'GET')
const head = fc
  .tuple(
    line,
    lineEnd,
    fields,
    lineEnd,
    fc.constantFrom('\r\n\r\n', '\r\n\r\n', '\r\n\r\nGET /', '\r\n', '\r'),
  )
  .map(([start, first, lines, between, end]) => bytes(`${start}${first}${lines.join(between)}${end}`))

test('all heads are read as on a fresh connection, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(head, { minLength: 2, maxLength: 8 }), (heads) => {
      const read = createHeadReader('127.0.0.1')
      for (const each of heads) expect(read(each, 0)).toEqual(readFresh(each))
    }),
    { numRuns: 2000 },
  )
})
