import { createRandom, type Random } from '../../src/ingest/demo/random.ts'
import type { Answer } from './answer.ts'
import { isRight, type Probe, request } from './probe.ts'

/** A request, or what looks like one; each character is a byte. */
export type Item = {
  text: string
  method: string
  /** Whether an answer is the right one. */
  fits(answer: Answer): boolean
  /** Whether nobody knows what becomes of it. */
  isWild?: boolean
}

/** Requests of different kinds; an answer tells the id again where it can be read. */
export type Family = Readonly<Record<string, (random: Random, id: string) => Item>>

const refused = (text: string): Item => ({
  text,
  method: 'GET',
  fits: ({ status, closes }) => (status === 400 || status === 431) && closes,
})

const last = (text: string, ...statuses: number[]): Item => ({
  text,
  method: 'GET',
  fits: ({ status, closes }) => statuses.includes(status) && closes,
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-_.~'
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('')
const MARKS = '%&=+#?/\\"\'<>[]{}|^`~!@$*();:,.'
const QUERY_MARKS = MARKS.replace('#', '')
const ODD_METHODS = [
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'BREW',
  'get',
  'TRACE',
  'CONNECT',
  "!#$%&'*+-.^_`|~",
  'X'.repeat(300),
]
const NUMBERS = [
  '-1',
  '0',
  '1e9',
  '0x10',
  '9'.repeat(30),
  '9007199254740993',
  '1.5',
  'NaN',
  '-0',
  '+1',
  '',
  '٣',
  '1'.repeat(400),
]
const FORMS = [
  '%',
  '%zz',
  '%2',
  '%00',
  '%ff%fe',
  '%c0%af',
  '%2e%2e%2f',
  '%0d%0aX:%20y',
  '%e2%82',
  '%25%32%35',
]

const BYTES = Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).join('')
const NOISE_LENGTH = 65_536
const noises = new Map<string, string>()

/** A cut of noise that is made once: to make it letter by letter would take most of the time. */
function words(random: Random, from: string, most: number): string {
  const noise = noises.get(from) ?? makeNoise(from)
  const at = random.whole(0, NOISE_LENGTH - most)
  return noise.slice(at, at + random.whole(1, most))
}

function makeNoise(from: string): string {
  const random = createRandom(from.length)
  const noise = Array.from({ length: NOISE_LENGTH }, () => from[random.whole(0, from.length - 1)]).join('')
  noises.set(from, noise)
  return noise
}

const bytes = (random: Random, most: number) => words(random, BYTES, most)

function fieldLines(random: Random, count: number): string {
  let text = ''
  for (let left = count; left > 0; left--)
    text += `X-${words(random, LETTERS, 12)}: ${words(random, PRINTABLE, 30)}\r\n`
  return text
}

/** Garbage that is a request all the same: it is answered, with what it was asked, and the next one follows. */
export function createAnswered(probes: readonly Probe[]) {
  const item = (text: string, id: string, statuses: readonly number[], method = 'GET'): Item => ({
    text,
    method,
    fits: ({ status, fields, closes }) =>
      statuses.includes(status) && !closes && fields.get('x-request-id') === id,
  })
  const ask = (target: string, id: string, statuses: readonly number[], more = '', method = 'GET') =>
    item(request(target, `X-Request-Id: ${id}\r\n${more}`, method), id, statuses, method)

  return {
    right(random, id) {
      const probe = random.pick(probes)
      const isKnown = random.chance(0.2)
      const text = request(
        probe.target,
        `X-Request-Id: ${id}\r\n${isKnown ? `If-None-Match: ${probe.etag}\r\n` : ''}`,
      )
      const fits = (answer: Answer) =>
        answer.fields.get('x-request-id') === id &&
        (isKnown ? answer.status === 304 && answer.body.length === 0 : isRight(answer, probe))
      return { text, method: 'GET', fits }
    },
    headOnly(random, id) {
      const { target, body } = random.pick(probes)
      const text = request(target, `X-Request-Id: ${id}\r\n`, 'HEAD')
      const fits = ({ status, fields }: Answer) =>
        status === 200 &&
        fields.get('content-length') === `${body.length}` &&
        fields.get('x-request-id') === id
      return { text, method: 'HEAD', fits }
    },
    oddMethod: (random, id) => ask(random.pick(probes).target, id, [405], '', random.pick(ODD_METHODS)),
    oddPath: (random, id) =>
      ask(`/${words(random, LETTERS + MARKS, 60)}`, id, [200, 301, 302, 303, 307, 308, 400, 404]),
    badEncoding: (random, id) =>
      ask(
        `/api/v1/passports/${random.pick(FORMS)}${words(random, LETTERS, 8)}${random.pick(FORMS)}`,
        id,
        [400, 404],
      ),
    badKeyword: (random, id) =>
      ask(
        `/api/v1/passports?keyword=${random.pick(FORMS)}${words(random, LETTERS + QUERY_MARKS, 20)}`,
        id,
        [200, 400],
      ),
    numbers: (random, id) =>
      ask(
        Buffer.from(
          `/api/v1/passports?page=${random.pick(NUMBERS)}&per_page=${random.pick(NUMBERS)}&page=${random.pick(NUMBERS)}`,
        ).toString('latin1'),
        id,
        [200, 400],
      ),
    wholeAddress: (random, id) =>
      ask(
        `${random.pick(['http', 'HTTPS'])}://${words(random, LETTERS, 20)}:${random.whole(0, 99_999)}${random.pick(probes).target}`,
        id,
        [200],
      ),
    longTarget: (random, id) => ask(`/${'a'.repeat(random.whole(8192, 20_000))}`, id, [414]),
    manyFields: (random, id) => ask('/health', id, [200], fieldLines(random, random.whole(20, 100))),
    largeFields: (random, id) =>
      ask('/health', id, [431], `A: ${'x'.repeat(random.whole(16_500, 30_000))}\r\n`),
    body(random, id) {
      const body = random.chance(0.5) ? bytes(random, 300) : request('/smuggled')
      return item(
        `${request('/health', `X-Request-Id: ${id}\r\nContent-Length: ${body.length}\r\n`, 'POST')}${body}`,
        id,
        [405],
      )
    },
    wrongKey: (random, id) =>
      ask(
        random.pick(probes.slice(0, 5)).target,
        id,
        [401, 429],
        `X-API-KEY: k${words(random, PRINTABLE.slice(1), 80)}\r\n`,
      ),
    oldVersion: (_, id) =>
      item(`GET /health HTTP/1.0\r\nConnection: keep-alive\r\nX-Request-Id: ${id}\r\n\r\n`, id, [200]),
    emptyLines: (random, id) => ({
      ...ask('/health', id, [200]),
      text: '\r\n'.repeat(random.whole(1, 9)) + ask('/health', id, []).text,
    }),
    preflight: (_, id) => ask('/api/v1/passports', id, [204], 'Origin: https://x.example\r\n', 'OPTIONS'),
  } satisfies Family
}

/** What could be read in two ways, or in none: the connection ends with it. */
export const ENDING: Family = {
  twoLengths: () => refused(request('/', 'Content-Length: 1\r\nContent-Length: 1\r\n')),
  lengthAndChunks: () =>
    refused(`${request('/', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`),
  badLength: (random) =>
    refused(
      request(
        '/',
        `Content-Length: ${random.pick(['-1', '+1', '0x1', '1,1', '', '9'.repeat(16), '1 1', 'a', '1.0'])}\r\n`,
      ),
    ),
  folded: () => refused(request('/', 'A: b\r\n c\r\n')),
  zeros: (random) => refused(request('/', `A: ${'\0'.repeat(random.whole(1, 50))}\r\n`)),
  zeroInTarget: () => refused(request('/\0')),
  lineFeeds: () => refused('GET / HTTP/1.1\nHost: x\n\n'),
  lineFeedInField: () => refused('GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'),
  loneReturn: () => refused(request('/', 'A: b\rc\r\n')),
  spaceBeforeColon: () => refused(request('/', 'A : b\r\n')),
  noHost: () => refused('GET / HTTP/1.1\r\n\r\n'),
  twoHosts: () => refused(request('/', 'Host: y\r\n')),
  oddVersion: (random) =>
    refused(
      `GET / ${random.pick(['HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 ', 'HTTP/0.9', 'ICAP/1.0'])}\r\nHost: x\r\n\r\n`,
    ),
  oddMethod: (random) =>
    refused(`${random.pick(['G(T', '', 'GET\t', '\x16\x03\x01', '"GET"'])} / HTTP/1.1\r\nHost: x\r\n\r\n`),
  endlessLine: (random) => refused(`GET /${'x'.repeat(random.whole(66_000, 90_000))}`),
  endlessHead: (random) => refused(`GET / HTTP/1.1\r\n${fieldLines(random, 60).repeat(70)}`),
  chunks: (random) =>
    last(
      `${request('/health', 'Transfer-Encoding: chunked\r\n', 'POST')}${random.pick(['5\r\nabcde\r\n0\r\n\r\n', 'zz\r\n', 'ffffffffffffffffff\r\n', '-5\r\nabcde', '5;a=\0\r\n'])}`,
      405,
    ),
  expecting: () => last(request('/health', 'Expect: 100-continue\r\nContent-Length: 5\r\n', 'POST'), 405),
  endlessBody: (random) =>
    last(request('/health', `Content-Length: ${'9'.repeat(random.whole(8, 15))}\r\n`), 200),
  close: () => last(request('/health', 'Connection: a, Close\r\n'), 200),
  old: () => last('GET /health HTTP/1.0\r\n\r\n', 200),
}

const wild = (text: string): Item => ({ text, method: 'GET', fits: () => true, isWild: true })

export function createWild(probes: readonly Probe[]): Family {
  return {
    bytes: (random) => wild(bytes(random, 400)),
    lines: (random) =>
      wild(
        `GET / HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 4 }, () => words(random, `${PRINTABLE}\t:`, 40)).join('\r\n')}\r\n\r\n`,
      ),
    mutant(random) {
      let text = `${request(random.pick(probes).target, `${fieldLines(random, 2)}Content-Length: 3\r\n`)}abc`
      for (let left = random.whole(1, 6); left > 0; left--) text = mutate(random, text)
      return wild(text)
    },
  }
}

function mutate(random: Random, text: string): string {
  const at = random.whole(0, text.length - 1)
  const to = Math.min(text.length, at + random.whole(1, 12))
  const [before, part, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)]
  return random.pick([
    () => before + String.fromCharCode(random.whole(0, 255)) + text.slice(at + 1),
    () => before + bytes(random, 6) + text.slice(at),
    () => before + after,
    () => before + part + part + after,
    () => text.slice(0, to),
    () => before + random.pick(['\r', '\n', '\r\n', '\r\n\r\n', '\0', ':', ' ']) + text.slice(at),
  ])()
}
