import { timingSafeEqual } from 'node:crypto'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { ServiceError } from '../basics/errors.ts'
import { quote } from '../basics/text/quote.ts'
import { type ApiKey, DEFAULT_SCOPES, isPublishable, keyState, parseKeyId } from '../store/api-key.ts'

/** What a route requires. `write` is any scope that writes. */
export type RouteScope = 'read' | 'events' | 'write' | 'write:*'

/** Who sends a request: a key. The id is empty without a key. */
export type Principal = Readonly<Pick<ApiKey, 'id' | 'scopes' | 'types' | 'origins'>>

export const ANONYMOUS_PRINCIPAL: Principal = { id: '', scopes: DEFAULT_SCOPES, types: [], origins: [] }

const isWrite = (scope: string) => scope.startsWith('write')

export const hasScope = ({ scopes }: Principal, routeScope: RouteScope): boolean =>
  scopes.some((scope) => scope === routeScope || (routeScope === 'write' && isWrite(scope)))

/** Throws `forbidden` if the principal lacks the scope. */
export function checkScope(principal: Principal, routeScope: RouteScope): void {
  if (hasScope(principal, routeScope)) return
  const name = routeScope === 'write' ? 'write:ISSUER or write:*' : routeScope
  const advice = adviseScope(principal, routeScope)
  throw new ServiceError('forbidden', `This request needs a key with the scope ${name}${advice}.`)
}

function adviseScope(principal: Principal, routeScope: RouteScope): string {
  if (principal.id === '') return ''
  if (isPublishable(principal)) return ', and a publishable key has only the scope read'
  const otherScopes = principal.scopes.filter((scope) => !isWrite(scope) || !isWrite(routeScope))
  const scopes = [...otherScopes, routeScope === 'write' ? 'write:ISSUER' : routeScope].join(',')
  return `: the operator can add it with "passportd keys set ${principal.id} --scope ${scopes}"`
}

/** Throws `forbidden` if a publishable key is not sent from a page of its origins. Programs can forge the header. */
export function checkOrigin(principal: Principal, { headers }: Request): void {
  if (!isPublishable(principal)) return
  const origin = headers.get('origin')
  if (origin !== null && principal.origins.includes(origin)) return
  const problem = origin === null ? 'but this request has no Origin header' : `not of ${quote(origin)}`
  throw new ServiceError(
    'forbidden',
    `A publishable key is valid only on pages of its origins, ${problem}: the operator can change them with "passportd keys set ${principal.id} --origin".`,
  )
}

/** Whether a secret key is sent from a page of another service. Pages of this service may send it. */
export function isInBrowser(key: ApiKey, { headers }: Request, publicUrl?: string): boolean {
  const origin = key.isSeenInBrowser ? null : headers.get('origin')
  if (origin === null || isPublishable(key) || origin === publicUrl) return false
  return origin.split('://')[1] !== headers.get('host')
}

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null', 'None'])

/** A key from a request; a malformed key has no id. */
export type SentKey = { id: string | undefined; hash: Uint8Array }

/** A lookup takes less time than hashing. Keys have fewer characters than LONGEST_PARSED. */
const parsed = new Map<string, SentKey | undefined>()
const MOST_PARSED = 1000
const LONGEST_PARSED = 100

/** Returns `undefined` if an `X-API-KEY` header holds no key. */
export function parseSentKey(header: string | null): SentKey | undefined {
  if (header === null) return undefined
  if (header.length > LONGEST_PARSED) return parseHeader(header)
  if (parsed.size >= MOST_PARSED) parsed.clear()
  return parsed.getOrInsertComputed(header, parseHeader)
}

function parseHeader(header: string): SentKey | undefined {
  // Removes blanks and commas at both ends. Replacing them by a regular expression would take quadratic time.
  const text = header
    .split(/[, \t\xa0]+/)
    .filter(Boolean)
    .join()
  return NO_KEY.has(text) ? undefined : { id: parseKeyId(text), hash: Bun.SHA256.hash(text) as Uint8Array }
}

export const matchesKey = ({ hash }: SentKey, key: ApiKey | undefined): key is ApiKey =>
  key !== undefined && timingSafeEqual(hash, key.hash)

export const isActive = (key: ApiKey | undefined, now: number): boolean =>
  key !== undefined && keyState(key, now) === 'active'

export type Client = { key: ApiKey | undefined; address(): string }

/** The client whose requests are counted. Each visitor of a page with a publishable key is a client. */
export function clientOf(client: Client): string {
  const { key } = client
  if (!key) return client.address()
  return isPublishable(key) ? `${key.id} ${client.address()}` : key.id
}

/** Finds the address of the client: the socket address, or the one that trusted proxies forward. */
export function createClientAddressOf(trusted: readonly string[]) {
  const proxies = new BlockList()
  for (const each of trusted) {
    const [written = '', bits] = each.split('/')
    const address = bits === undefined ? normalize(written) : written
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (socketAddress: string, headers: Headers): string => {
    let address = normalize(socketAddress)
    if (trusted.length > 0 && isTrusted(address)) {
      // Each proxy appends the address of its sender. The client is the first untrusted address from the right.
      const hops = (headers.get('x-forwarded-for') ?? '').slice(-LONGEST_HOPS).split(',')
      for (const text of hops.slice(-MOST_HOPS).reverse()) {
        const hop = normalize(text.trim())
        if (isIP(hop) === 0) break
        address = hop
        if (!isTrusted(hop)) break
      }
    }
    return toBlock(address)
  }
}

/** No client is behind more proxies, but a client can send a header with thousands of addresses. */
const MOST_HOPS = 20
const LONGEST_HOPS = MOST_HOPS * '[2001:0db8:0000:0000:0000:ffff:255.255.255.255]:65535, '.length

/** Normalizes an address: an IPv4-mapped IPv6 address becomes IPv4, brackets, port and zone are removed. */
function normalize(text: string): string {
  if (!text.includes(':')) return text
  const written = text.replace(/%[^\]]*/, '')
  const literal =
    isIP(written) === 6 ? `[${written.replace(DOTTED, (_, ...bytes) => toGroups(bytes))}]` : written
  return (SocketAddress.parse(literal)?.address ?? text).replace(/^::ffff:(?=\d+\.)/, '')
}

/** An IPv6 address can end with an IPv4 address, but the parser does not always accept this form. */
const DOTTED = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

const toGroups = ([a, b, c, d]: string[]) =>
  [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':')

/** A subscriber has a /64 block of IPv6 addresses: the whole block counts as one client. */
function toBlock(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const middle = new Array(8 - left.length - right.length).fill('0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}
