import { BlockList, isIP } from 'node:net'

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
      // Each proxy appends the address it received from: read from the right, up to the first untrusted address.
      for (const text of lastHops(headers.get('x-forwarded-for') ?? '')) {
        const hop = normalize(text.trim())
        if (isIP(hop) === 0) break
        address = hop
        if (!isTrusted(hop)) break
      }
    }
    return toBlock(address)
  }
}

/** More proxies in a row do not exist. Clients can send a header with thousands of addresses. */
const MOST_HOPS = 20

/** The last addresses of `X-Forwarded-For`, from the right. */
function* lastHops(header: string): Generator<string> {
  let end = header.length
  for (let count = 0; count < MOST_HOPS && end >= 0; count++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1)
    yield header.slice(comma + 1, end)
    end = comma
  }
}

/** Normalizes an address: an IPv4-mapped IPv6 address becomes IPv4, brackets and port are removed. */
function normalize(text: string): string {
  if (!text.includes(':')) return text
  const address = text.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/^((?:\d+\.){3}\d+):\d+$/, '$1')
  if (!address.includes(':') || isIP(address) !== 6) return address
  const groups = address
    .replace(/%.*$/, '')
    .replace(DOTTED, (_, a, b, c, d) => `${toGroup(a, b)}:${toGroup(c, d)}`)
  const canonical = new URL(`http://[${groups}]`).hostname.slice(1, -1)
  const mapped = MAPPED.exec(canonical)
  return mapped ? mapped.slice(1).map(toOctets).join('.') : canonical
}

/** The last two groups may be written as an IPv4 address, which the URL parser does not accept everywhere. */
const DOTTED = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

const toGroup = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)

/** An IPv4-mapped address as the URL parser writes it. */
const MAPPED = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/

function toOctets(hex: string): string {
  const number = Number.parseInt(hex, 16)
  return `${number >> 8}.${number & 255}`
}

/** A subscriber has a /64 block of IPv6 addresses: the whole block counts as one client. */
function toBlock(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const middle = new Array(8 - left.length - right.length).fill('0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}
