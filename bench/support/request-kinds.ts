import { walletOf } from '../data-sets/data-set.ts'
import { CHANGED } from '../data-sets/data-set-with-history.ts'

/** A row of the table of costs in bench/RESULTS.md. `make` returns the n-th request. Requests differ if possible. */
export type RequestKind = {
  name: string
  make: (at: number) => { target: string; init?: RequestInit }
  /** The status of every response; 200 by default. */
  status?: number
  /** The response is a stream, which is closed after its first events. */
  isStream?: true
}

type More = Pick<RequestKind, 'status' | 'isStream'>

const V3 = '/api/v3/passports'
const PARTS = ['credentials', 'standing', 'explanation'] as const
const ALL = PARTS.join()
const KIBIBYTE = 1024
const NAMES_OF_8_KB = 130

const repeat = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

const get = (name: string, target: (at: number) => string, more: More = {}): RequestKind => ({
  name,
  make: (at) => ({ target: target(at) }),
  ...more,
})

function lookUp(
  name: string,
  body: (at: number) => string,
  { headers = {}, ...more }: More & { headers?: Record<string, string> } = {},
): RequestKind {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
  return { name, make: (at) => ({ target: '/api/v3/lookup', init: { ...init, body: body(at) } }), ...more }
}

/** `before` is a time before the changes that `copyWithHistory` made. */
export function requestKinds(passports: number, before: string): RequestKind[] {
  const id = (at: number) => 1 + ((at * 7919) % passports)
  return [...olderKinds(passports, id), ...v3Kinds(id, before), ...lookupKinds(id, before), ...otherKinds(id)]
}

type AnyId = (at: number) => number

const SEARCH = '/api/v2/search/advanced/passport_app__passports'

const olderKinds = (passports: number, id: AnyId): RequestKind[] =>
  ['v1', 'v2'].flatMap((version) => {
    const base = `/api/${version}`
    const name = version.toUpperCase()
    return [
      get(`${name} passport by id`, (at) => `${base}/passports/${id(at)}`),
      get(`${name} passport by wallet`, (at) => `${base}/passports/${walletOf(id(at))}`),
      get(`${name} credentials`, (at) => `${base}/passport_credentials?passport_id=${id(at)}`),
      get(`${name} page of 25`, (at) => `${base}/passports?per_page=25&page=${1 + (at % 1000)}`),
      get(`${name} page of 250`, (at) => `${base}/passports?per_page=250&page=${1 + (at % 80)}`),
      get(
        `${name} last page of 250`,
        () => `${base}/passports?per_page=250&page=${Math.ceil(passports / 250)}`,
      ),
      get(`${name} keyword, page of 25`, (at) => `${base}/passports?keyword=a${at}`),
      get(`${name} keyword, page of 250`, (at) => `${base}/passports?per_page=250&keyword=${at}`),
      ...(version === 'v1' ? [] : searchKinds(id)),
    ]
  })

const searchKinds = (id: AnyId): RequestKind[] => [
  get('V2 search, exact', (at) => `${SEARCH}?query[identity]=${walletOf(id(at))}&query[exactMatch]=true`),
  get('V2 search', (at) => `${SEARCH}?query[identity]=${String.fromCharCode(97 + (at % 26))}`),
]

function v3Kinds(id: AnyId, before: string): RequestKind[] {
  const early = (at: number) => 1 + (at % CHANGED)
  const score = (at: number) => `score:%3E${at / 100}`
  const unknown = repeat(NAMES_OF_8_KB, (at) => `${at}`.padEnd(60, 'x')).join()
  return [
    get('v3 passport', (at) => `${V3}/${id(at)}`),
    ...PARTS.map((part) => get(`v3 passport with ${part}`, (at) => `${V3}/${id(at)}?include=${part}`)),
    get('v3 passport with all parts', (at) => `${V3}/${id(at)}?include=${ALL}`),
    get('v3 passport as of a time', (at) => `${V3}/${early(at)}?as_of=${before}`),
    get(
      'v3 passport as of a time with credentials',
      (at) => `${V3}/${early(at)}?as_of=${before}&include=credentials`,
    ),
    get('v3 diff', (at) => `${V3}/${early(at)}/diff?from=${before}`),
    ...[25, 100, 250].map((limit) => get(`v3 list of ${limit}`, (at) => `${V3}?limit=${limit}&q=${at}`)),
    ...PARTS.map((part) =>
      get(`v3 list of 50 with ${part}`, (at) => `${V3}?limit=50&include=${part}&q=${at}`),
    ),
    get('v3 list of 25 with all parts', (at) => `${V3}?limit=25&include=${ALL}&q=${at}`),
    get('v3 list of 50 with all parts', (at) => `${V3}?limit=50&include=${ALL}&q=${at}`),
    get('v3 list with q', (at) => `${V3}?limit=1&q=a${at}`),
    get('v3 list with filter', (at) => `${V3}?limit=1&filter=human:true,${score(at)}`),
    get('v3 list with group_by', (at) => `${V3}?limit=1&group_by=tag&filter=${score(at)}`),
    get(
      'v3 list of 25 with q, filter and group_by',
      (at) => `${V3}?q=a&group_by=type&filter=human:true,${score(at)}`,
    ),
    get('v3 search', (at) => `/api/v3/search?q=human+a${at}`),
    get('v3 search, nobody found', (at) => `/api/v3/search?q=zo${at}lase`),
    get(
      'v3 search with four groups',
      (at) => `/api/v3/search?q=human+a${at}&group_by=human,tag,type,location`,
    ),
    get('v3 scores', () => '/api/v3/scores'),
    get('v3 events, page of 100', (at) => `/api/v3/events?limit=100&passport=${at}&types=score.changed`),
    get('v3 events, page of 1,000', () => '/api/v3/events?limit=1000'),
    {
      name: 'v3 event stream, first events',
      isStream: true,
      make: () => ({ target: '/api/v3/events', init: { headers: { Accept: 'text/event-stream' } } }),
    },
    get('v3 rule set', () => '/api/v3/rules/none', { status: 404 }),
    get('v3 unknown fields, URL of 8 KB', () => `${V3}/1?select=${unknown}`, { status: 400 }),
  ]
}

function lookupKinds(id: AnyId, before: string): RequestKind[] {
  const keys = (count: number, at: number) => repeat(count, (key) => String(id(at * count + key)))
  const early = (count: number, at: number) =>
    repeat(count, (key) => String(1 + ((at * count + key) % CHANGED)))
  const plain = (count: number) => (at: number) => JSON.stringify({ keys: keys(count, at) })
  const include = (count: number, parts: readonly string[]) => (at: number) =>
    JSON.stringify({ keys: keys(count, at), include: parts })
  const past = (count: number) => (at: number) => JSON.stringify({ keys: early(count, at), as_of: before })
  const long = (bytes: number) => () => JSON.stringify({ keys: ['x'.repeat(bytes - '{"keys":[""]}'.length)] })
  return [
    ...[1, 100, 1000].flatMap((count) => [
      lookUp(`v3 lookup of ${count}`, plain(count)),
      ...PARTS.map((part) => lookUp(`v3 lookup of ${count} with ${part}`, include(count, [part]))),
      lookUp(`v3 lookup of ${count} with all parts`, include(count, PARTS)),
      lookUp(`v3 lookup of ${count} as of a time`, past(count)),
    ]),
    lookUp('v3 lookup of 1000 as NDJSON', plain(1000), { headers: { Accept: 'application/x-ndjson' } }),
    ...[1, 64, 1024].map((size) => lookUp(`v3 lookup, body of ${size} KiB`, long(size * KIBIBYTE))),
    ...[1, 64, 1024].map((size) =>
      lookUp(`v3 lookup, malformed body of ${size} KiB`, () => '"'.padEnd(size * KIBIBYTE, 'a'), {
        status: 400,
      }),
    ),
    lookUp('v3 lookup, body above 1 MiB', () => 'a'.repeat(1025 * KIBIBYTE), { status: 413 }),
  ]
}

const otherKinds = (id: AnyId): RequestKind[] => [
  get('explorer: start page', () => '/'),
  get('explorer: page of the ranking', (at) => `/?page=${2 + at}`),
  get('explorer: search', (at) => `/?q=a${at}`),
  get('explorer: filters', (at) => `/?filter=human:true&page=${1 + at}`),
  get('explorer: search with filters', (at) => `/?q=a&filter=human:true&page=${1 + at}`),
  get('explorer: passport', (at) => `/passports/${id(at)}`),
  get('explorer: credentials of a passport', (at) => `/passports/${id(at)}/credentials`),
  get('explorer: score of a passport', (at) => `/passports/${id(at)}/score`),
  get('explorer: credentials', () => '/credentials'),
  get(
    'explorer: comparison of four',
    (at) => `/compare?ids=${repeat(4, (more) => id(at * 4 + more)).join()}`,
  ),
  get('explorer: reference', () => '/reference/v3'),
  get('explorer: deprecation', () => '/deprecation'),
  get('explorer: unknown passport', (at) => `/passports/9${id(at)}000000`, { status: 404 }),
  get('badge', (at) => `/badge/${id(at)}.svg`),
  get('card as SVG', (at) => `/card/${id(at)}.svg`),
  get('card as PNG', (at) => `/card/${id(at)}.png`),
  get('/health', () => '/health'),
  get('/ready', () => '/ready'),
  get('/openapi.json', () => '/openapi.json'),
  get('unknown path', (at) => `/nothing/${at}`, { status: 404 }),
  {
    name: 'wrong key',
    status: 401,
    // The client address varies, because an address may send only 60 wrong keys in a minute.
    make: (at) => ({
      target: '/api/v1/passports/1',
      init: { headers: { 'X-API-KEY': 'wrong', 'X-Forwarded-For': `198.51.100.${at % 250}` } },
    }),
  },
]
