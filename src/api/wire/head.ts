import type { ErrorCode } from '../../domain/errors.ts'
import { strip } from '../strip.ts'
import type { Fields, Incoming } from './incoming.ts'
import { type Known, recall, remember } from './known.ts'

/** Longer than any client sends; the handler has limits of its own, and says more. */
const LONGEST_HEAD = 64 * 1024

/** Longer ones are read anew each time: a caller that is idle is to cost no more memory than this. */
const LONGEST_REMEMBERED = 4096

/** After a longer body the connection ends: it is not waited for. */
const LONGEST_BODY = 1024 * 1024

const CR = 13
const LF = 10

/** What cannot be read as a request. The connection has to end: nobody knows where the next one would begin. */
export type Refusal = { code: ErrorCode; message: string }

export type Head = Incoming & {
  /** Where it ends. */
  end: number
  /** Whether the connection is to end with the answer. */
  isLast: boolean
  /** Whether the caller must be told if it is not: one of HTTP/1.0 takes silence for an end. */
  isOld: boolean
  /** Bytes after the head that belong to the request. */
  bodyLength: number
}

type Read = {
  fields: Fields
  ifNoneMatch: string | undefined
  closes: boolean
  keeps: boolean
  bodyLength: number
}

/**
 * Reads the heads of one connection's requests. Strict, as RFC 9112 lets a server be: whatever two programs could read
 * in two ways is refused. Most clients send the same fields each time: these are read once.
 */
export function createHeadReader(address: string) {
  let known: Known | undefined
  let last: Read | undefined

  /** `undefined` where the head is not complete yet. */
  return (input: Buffer, start: number): Head | Refusal | undefined => {
    let begin = start
    // RFC 9112 asks to forgive an empty line before a request.
    while (input[begin] === CR && input[begin + 1] === LF) begin += 2
    const lineEnd = input.indexOf(CR, begin)
    if (lineEnd === -1) return incomplete(input, start)
    const same = known && recall(known, input, lineEnd)
    if (last && same && same.end - begin <= LONGEST_HEAD)
      return readLine(input, begin, lineEnd, same.end, last, same.value ?? last.ifNoneMatch, address)
    const mark = input.indexOf('\r\n\r\n', lineEnd, 'latin1')
    if (mark === -1) return incomplete(input, start)
    const end = mark + 4
    if (end - begin > LONGEST_HEAD) return TOO_LARGE
    const read = readFields(input.toString('latin1', lineEnd + 2, Math.max(mark, lineEnd + 2)))
    if ('code' in read) return read
    const isShort = end - lineEnd <= LONGEST_REMEMBERED
    last = isShort ? read : undefined
    known = isShort ? remember(input.subarray(lineEnd, end), read.ifNoneMatch !== undefined) : undefined
    return readLine(input, begin, lineEnd, end, read, read.ifNoneMatch, address)
  }
}

export type HeadReader = ReturnType<typeof createHeadReader>

/** Empty lines before it count as well: they would be kept, and looked at again with all that follows. */
function incomplete(input: Buffer, start: number): Refusal | undefined {
  if (input.length - start > LONGEST_HEAD) return TOO_LARGE
  // Lines that end in a line feed alone would never become a head.
  return input.indexOf('\n\n', start, 'latin1') === -1 ? undefined : refuse('Lines must end in CR LF.')
}

const refuse = (message: string): Refusal => ({ code: 'invalid_request', message })

const TOO_LARGE: Refusal = {
  code: 'headers_too_large',
  message: `The request line and the headers may have at most ${LONGEST_HEAD} bytes.`,
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Spaces and control characters. */
const UNFIT_TARGET = /[\0-\x20\x7f]/
const NON_ASCII = /[\x80-\xff]/

function readLine(
  input: Buffer,
  begin: number,
  lineEnd: number,
  end: number,
  read: Read,
  ifNoneMatch: string | undefined,
  address: string,
): Head | Refusal {
  let line = input.toString('latin1', begin, lineEnd)
  // Clients send what is not ASCII, though they should not: it is taken as UTF-8.
  if (NON_ASCII.test(line)) line = input.toString('utf8', begin, lineEnd)
  const first = line.indexOf(' ')
  const second = line.lastIndexOf(' ')
  const method = line.slice(0, first)
  const version = line.slice(second + 1)
  const isNew = version === 'HTTP/1.1'
  if (first === second || (!isNew && version !== 'HTTP/1.0') || input[lineEnd + 1] !== LF)
    return refuse('The request line must be a method, a path and HTTP/1.1.')
  if (method !== 'GET' && !METHOD.test(method)) return refuse('The method is not a word.')
  const target = toOrigin(line.slice(first + 1, second), method)
  if (target === undefined || UNFIT_TARGET.test(target)) return refuse('The path must begin with "/".')
  if (isNew && !read.fields.has('host')) return refuse('The header Host is missing.')
  return {
    method,
    target,
    fields: read.fields,
    ifNoneMatch,
    fieldsLength: end - lineEnd - 2,
    address,
    end,
    isLast: read.closes || !(isNew || read.keeps),
    isOld: !isNew,
    bodyLength: read.bodyLength,
  }
}

/** Proxies are asked with a whole address, and some clients ask everybody so. */
function toOrigin(target: string, method: string): string | undefined {
  if (target.startsWith('/')) return target
  if (target === '*' && method === 'OPTIONS') return target
  const whole = /^https?:\/\/[^/?#]+/i.exec(target)?.[0]
  if (whole === undefined) return undefined
  const rest = target.slice(whole.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Blanks around the value are taken off by hand: of many, a pattern that does would try every way to share them out. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/

/** Fields of which two would contradict each other. */
const SINGLE = new Set(['host', 'content-length', 'transfer-encoding'])

function readFields(text: string): Read | Refusal {
  const fields = new Map<string, string>()
  for (const line of text === '' ? [] : text.split('\r\n')) {
    const [, name, padded] = FIELD.exec(line) ?? []
    if (name === undefined || padded === undefined)
      return refuse('A header is not of the form "Name: value".')
    const key = name.toLowerCase()
    const value = strip(padded, ' \t')
    const before = fields.get(key)
    if (before !== undefined && SINGLE.has(key)) return refuse(`The header ${name} is there twice.`)
    fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  const ifNoneMatch = fields.get('if-none-match')
  fields.delete('if-none-match')
  const length = fields.get('content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    return refuse('The header Content-Length must be a number of bytes.')
  if (length !== undefined && fields.has('transfer-encoding'))
    return refuse('The headers Content-Length and Transfer-Encoding exclude each other.')
  const bodyLength = Number(length ?? 0)
  const connection = (fields.get('connection') ?? '').toLowerCase().split(',')
  const asks = (option: string) => connection.some((each) => strip(each, ' \t') === option)
  return {
    fields,
    ifNoneMatch,
    // A body of unknown length, or one that waits to be asked for, is not waited for.
    closes:
      asks('close') || fields.has('transfer-encoding') || fields.has('expect') || bodyLength > LONGEST_BODY,
    keeps: asks('keep-alive'),
    bodyLength,
  }
}
