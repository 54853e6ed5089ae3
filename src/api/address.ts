import { BlockList, isIP } from 'node:net'

/** Finds the address of the client: that of the socket, or what trusted proxies forward. */
export function createAddressOf(trusted: readonly string[]) {
  const proxies = new BlockList()
  for (const each of trusted) {
    const [written = '', bits] = each.split('/')
    const address = bits === undefined ? plain(written) : written
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (socketAddress: string, headers: Headers): string => {
    let address = plain(socketAddress)
    if (trusted.length > 0 && isTrusted(address)) {
      const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()))
      // From the right: each proxy tells whom it had it from. What stands left of the first stranger is hearsay.
      for (const hop of hops.toReversed()) {
        if (isIP(hop) === 0) break
        address = hop
        if (!isTrusted(hop)) break
      }
    }
    return group(address)
  }
}

/** An IPv4 address may come in the clothes of an IPv6 one, in brackets, or with a port. */
function plain(text: string): string {
  if (!text.includes(':')) return text
  const address = text.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/^((?:\d+\.){3}\d+):\d+$/, '$1')
  if (isIP(address) !== 6) return address
  const groups = address
    .replace(/%.*$/, '')
    .replace(DOTTED, (_, a, b, c, d) => `${toGroup(a, b)}:${toGroup(c, d)}`)
  const mapped = MAPPED.exec(new URL(`http://[${groups}]`).hostname)
  return mapped ? mapped.slice(1).map(toOctets).join('.') : groups
}

/** The last two groups may be written as an IPv4 address, which the parser of URLs does not take everywhere. */
const DOTTED = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

const toGroup = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)

/** As every writing of it is shortened to: `[::ffff:102:304]`. */
const MAPPED = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/

function toOctets(hex: string): string {
  const number = Number.parseInt(hex, 16)
  return `${number >> 8}.${number & 255}`
}

/** One subscriber has 2^64 addresses of IPv6: they count as one. */
function group(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : new Array(8 - left.length - right.length).fill('0')
  const groups = [...left, ...middle, ...right].slice(0, 4)
  return `${groups.map((part) => Number.parseInt(part, 16).toString(16)).join(':')}::/64`
}
