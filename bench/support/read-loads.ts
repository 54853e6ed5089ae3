import { walletOf } from '../data-sets/data-set.ts'
import { type Load, loadInTurn, loadOf, loadOfBodies, loadOfPages, paced } from './wrk.ts'

/** The reads, by their name in `--only`. */
export const READ_NAMES = {
  'by-id': 'by id',
  'by-wallet': 'by wallet',
  credentials: 'credentials',
  'first-page': 'first page',
  'middle-page': 'middle page',
  'last-page': 'last page',
  'random-page': 'random page',
  'v3-by-id': 'v3 by id',
  lookup: 'v3 lookup of 1,000 ids',
  'ranking-page': 'explorer: page of the ranking',
  'passport-page': 'explorer: page of a passport',
  badge: 'badge',
} as const

export type Read = keyof typeof READ_NAMES

export const isRead = (name: string): name is Read => Object.hasOwn(READ_NAMES, name)

/** Whether the minimal server has this read. */
export const isOfMinimal = (read: Read) => READS.indexOf(read) < READS.indexOf('v3-by-id')

export const READS = Object.keys(READ_NAMES) as Read[]

export const LOOKUP_KEYS = 1000

const PAGE = 25
/** More connections would only wait, because lookups are large. */
const LOOKUP_CONNECTIONS = 4
/** Visitors of pages share an address, which may have this many requests at once. */
const PAGE_CONNECTIONS = 8
/** Enough to keep the search thread busy without a long queue. */
const SEARCH_CONNECTIONS = 4
/** About 2,000 requests per second: latency is measured on a server that is not saturated. */
const PACED = { connections: 8, milliseconds: 3 }

export type Loads = Record<Read | 'by-id-paced' | 'keywords', Load>

/** Random ids, wallets and page numbers cover all passports. */
export function loadsOf(passports: number, keywords: readonly string[]): Loads {
  const id = `math.random(1, ${passports})`
  const last = Math.ceil(passports / PAGE)
  const byId = loadOf(`'/api/v1/passports/' .. ${id}`)
  const page = (number: string | number) => loadOf(`'/api/v1/passports?page=' .. ${number}`)
  const searches = keywords.map((keyword) => `/api/v1/passports?keyword=${encodeURIComponent(keyword)}`)
  return {
    'by-id': byId,
    'by-wallet': loadOf(`string.format('/api/v1/passports/0xde30%034x00', ${id})`),
    credentials: loadOf(`'/api/v1/passport_credentials?passport_id=' .. ${id}`),
    'first-page': page(1),
    'middle-page': page(Math.ceil(last / 2)),
    'last-page': page(last),
    'random-page': page(`math.random(1, ${last})`),
    'v3-by-id': loadOf(`'/api/v3/passports/' .. ${id}`),
    lookup: loadOfBodies('/api/v3/lookup', lookupBody(id), LOOKUP_CONNECTIONS),
    'ranking-page': loadOfPages(`'/?page=' .. math.random(1, ${last})`, PAGE_CONNECTIONS),
    'passport-page': loadOfPages(`'/passports/' .. ${id}`, PAGE_CONNECTIONS),
    badge: loadOf(`'/badge/' .. ${id} .. '.svg'`, PAGE_CONNECTIONS),
    'by-id-paced': paced(byId, PACED.milliseconds, PACED.connections),
    keywords: loadInTurn(searches, SEARCH_CONNECTIONS),
  }
}

/** A Lua expression for the body of a lookup. */
const lookupBody = (id: string) => `(function()
  local keys = {}
  for at = 1, ${LOOKUP_KEYS} do keys[at] = '"' .. ${id} .. '"' end
  return '{"keys":[' .. table.concat(keys, ',') .. ']}'
end)()`

/** One request for each route of the minimal server. */
export const samplePaths = (passports: number) => [
  '/api/v1/passports/7',
  `/api/v1/passports/${walletOf(9)}`,
  '/api/v1/passport_credentials?passport_id=11',
  '/api/v1/passports?page=3',
  `/api/v1/passports?page=${Math.ceil(passports / PAGE)}`,
]
