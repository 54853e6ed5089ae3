import { unitsOfBody } from '../../../src/core/http/rate-limit.ts'
import { record } from '../../../test/support/store/records.ts'
import type { Reading } from './send-at-once.ts'

/** An expensive request. `request` returns the n-th request, without the headers that identify the client. */
export type WorstRequest = {
  name: string
  /** The limit that applies to the requests. `key`: the client must have a key. */
  kind: 'api' | 'key' | 'page' | 'picture'
  reading: Reading
  /** The number of requests that a request with a large body counts as. */
  units?: number
  request: (at: number) => { method?: string; target: string; headers?: string; body?: string }
}

/** Ids are 1 to `passports`. Passports 1 to `changed` changed after `before`. `largest` is the id of a large one. */
export type Given = { passports: number; changed: number; before: string; largest: number }

const MEBIBYTE = 1024 * 1024

const REPEATED = ['abc', 'a', `${'a'.repeat(150)}b`, '\u00e9\u674e', 'x y ']

/** A name whose trigrams are in many other names of this kind. */
const repetitiveName = (at: number) => `${REPEATED[at % REPEATED.length]}`.repeat(1000).slice(at % 300, 990)

export const peopleWithRepetitiveNames = (first: number) =>
  Array.from({ length: 150 }, (_, at) =>
    record(first + at, { profile: { displayName: `${repetitiveName(5 * at + (at % 5))}${at}` } }),
  )
const ALL_PARTS = 'credentials,standing,explanation'
const V3 = '/api/v3/passports'

const get = (
  name: string,
  kind: WorstRequest['kind'],
  target: (at: number) => string,
  reading: Reading = 'read',
): WorstRequest => ({ name, kind, reading, request: (at) => ({ target: target(at) }) })

const lookUp = (
  name: string,
  body: (at: number) => string,
  reading: Reading = 'read',
  headers = '',
): WorstRequest => ({
  name,
  kind: 'key',
  reading,
  request: (at) => ({
    method: 'POST',
    target: '/api/v3/lookup',
    headers: `Content-Type: application/json\r\n${headers}`,
    body: body(at),
  }),
})

const withUnits = (worst: WorstRequest): WorstRequest => ({
  ...worst,
  units: 1 + unitsOfBody(Buffer.byteLength(worst.request(0).body ?? '')),
})

const repeat = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at))

/** Returns requests whose cost is close to the highest possible cost of their kind. */
export function worstRequests({ passports, changed, before, largest }: Given): WorstRequest[] {
  const id = (at: number) => 1 + ((at * 7919) % passports)
  const ids = (at: number) => repeat(1000, (key) => String(id(at * 1000 + key)))
  const early = (at: number) => 1 + (at % changed)
  const allParts = (at: number) => JSON.stringify({ keys: ids(at), include: ALL_PARTS.split(',') })
  const repeated = JSON.stringify({
    keys: repeat(1000, () => String(largest)),
    include: ALL_PARTS.split(','),
  })
  const past = (at: number) =>
    JSON.stringify({
      keys: repeat(1000, (key) => String(early(at + key))),
      include: ['credentials'],
      as_of: before,
    })
  const longKeys = JSON.stringify({ keys: repeat(1000, () => 'x'.repeat(1040)) })
  const unknown = (count: number, length: number) =>
    `${V3}/1?select=${repeat(count, (at) => `${at}`.padEnd(length, 'standing')).join(',')}`
  const values = repeat(31, (at) => `tag${at}`).join('|')
  const score = (at: number) => `score:%3E${at / 100}`
  const parts = `include=${ALL_PARTS}`

  return [
    get('unknown names in select, URL of 1.2 KB', 'api', () => unknown(20, 60)),
    get('unknown names in select, URL of 8 KB', 'api', () => unknown(131, 60)),
    get('520 short unknown names in select', 'api', () => unknown(520, 14)),
    get('unknown parameters', 'api', () => `${V3}/1?${repeat(500, (at) => `includ${at}=1`).join('&')}`),
    get(
      'unknown event types',
      'key',
      () => `/api/v3/events?types=${repeat(130, (at) => `${at}`.padEnd(60, 'score.changed')).join(',')}`,
    ),
    withUnits(lookUp('malformed body of 64 KB', () => `${'['.repeat(9000)}"${'a'.repeat(56_000)}`)),
    withUnits(lookUp('malformed body of 1 MiB', () => `"${'a'.repeat(MEBIBYTE - 1)}`)),
    withUnits(lookUp('refused body of 1 MiB', () => '['.repeat(MEBIBYTE))),
    withUnits(lookUp('body of 1 MiB with 1,000 long keys', () => longKeys)),
    withUnits(
      lookUp('body with unknown members', () => `{${repeat(9000, (at) => `"key${at}":1`).join(',')}}`),
    ),
    lookUp('lookup of 1,000 keys with all parts', allParts),
    lookUp('lookup of 1,000 keys with all parts', allParts, 'never read'),
    lookUp('lookup of 1,000 times one large passport', () => repeated, 'never read'),
    lookUp('lookup of 1,000 keys with all parts', allParts, 'leave'),
    lookUp(
      'lookup of 1,000 keys with all parts as NDJSON',
      allParts,
      'read',
      'Accept: application/x-ndjson\r\n',
    ),
    lookUp(
      'lookup of 1,000 keys with all parts as NDJSON',
      allParts,
      'never read',
      'Accept: application/x-ndjson\r\n',
    ),
    lookUp('lookup of 1,000 keys as of a time', past),
    get('passport with all parts', 'api', (at) => `${V3}/${id(at)}?${parts}`),
    get('passport as of a time', 'api', (at) => `${V3}/${early(at)}?as_of=${before}&include=credentials`),
    get('diff', 'api', (at) => `${V3}/${early(at)}/diff?from=${before}`),
    get('list of 250', 'api', (at) => `${V3}?limit=${250 - (at % 50)}&filter=${score(at)}`),
    get('list of 250', 'api', (at) => `${V3}?limit=${250 - (at % 50)}&filter=${score(at)}`, 'never read'),
    get('list of 50 with all parts', 'api', (at) => `${V3}?limit=50&${parts}&filter=${score(at)}`),
    get('list of 50 with all parts', 'api', (at) => `${V3}?limit=50&${parts}&filter=${score(at)}`, 'leave'),
    get('list with 32 filter values', 'api', (at) => `${V3}?limit=1&filter=tag:${values},${score(at)}`),
    get('list with group_by', 'api', (at) => `${V3}?limit=1&group_by=tag&filter=${score(at)}`),
    get('list with group_by', 'api', (at) => `${V3}?limit=1&group_by=tag&filter=${score(at)}`, 'leave'),
    get('list with q and group_by', 'api', (at) => `${V3}?limit=1&q=a&group_by=location&filter=${score(at)}`),
    get('events page of 1,000', 'key', () => '/api/v3/events?limit=1000'),
    get('events of a type', 'key', () => '/api/v3/events?limit=1000&types=rules.changed'),
    get(
      'V1 page of 250',
      'api',
      (at) => `/api/v1/passports?per_page=${250 - (at % 50)}&page=${1 + (at % 300)}`,
    ),
    get(
      'V1 page of 250',
      'api',
      (at) => `/api/v1/passports?per_page=${250 - (at % 50)}&page=${1 + (at % 300)}`,
      'never read',
    ),
    get('V1 keyword, page of 250', 'api', (at) => `/api/v1/passports?per_page=250&keyword=${at}`),
    get(
      'V1 keyword, repetitive, page of 250',
      'api',
      (at) =>
        `/api/v1/passports?per_page=250&keyword=${encodeURIComponent(repetitiveName(at).slice(0, 198))}${at % 10}`,
    ),
    get('explorer search', 'page', (at) => `/?q=a${at % 26}`),
    get('explorer search', 'page', (at) => `/?q=a${at}`, 'leave'),
    get(
      'explorer search with filters',
      'page',
      (at) => `/?q=${'aeiou'[at % 5]}&filter=human:true,tag:builder&page=${1 + at}`,
    ),
    get('explorer filter', 'page', (at) => `/?filter=human:true&page=${1 + at}`),
    get('explorer passport', 'page', (at) => `/passports/${id(at)}`),
    get('explorer credentials of a passport', 'page', (at) => `/passports/${id(at)}/credentials`),
    get(
      'explorer comparison',
      'page',
      (at) => `/compare?ids=${repeat(4, (more) => String(id(at * 4 + more))).join()}`,
    ),
    get('badge', 'picture', (at) => `/badge/${id(at)}.svg`),
    get('card as SVG', 'picture', (at) => `/card/${id(at)}.svg`),
    get('card as PNG', 'picture', (at) => `/card/${id(at)}.png`),
    get('card as PNG', 'picture', (at) => `/card/${id(at)}.png`, 'leave'),
  ]
}
