import { BlockList, isIP } from 'node:net'
import { parseWebAddress } from '../../core/basics/url.ts'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** A `BlockList` compares v4-mapped IPv6 addresses with its IPv4 blocks, so each family has its own list. */
function createBlocks(...blocks: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    lists[familyOf(address)].addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address))
}

/** Private networks, which WEBHOOK_ALLOW_PRIVATE admits. */
const isPrivate = createBlocks(
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::1/128', 'fc00::/7'],
)

/**
 * Never admitted: link-local and metadata addresses, multicast, reserved blocks, and blocks that embed IPv4 addresses.
 */
const isReserved = createBlocks(
  ...['0.0.0.0/8', '100.100.100.200/32', '168.63.129.16/32', '169.254.0.0/16', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...['fd00:ec2::/32', 'fd20:ce::/32', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
)

/** All public IPv6 addresses. The rest includes v4-mapped addresses, NAT64, link-local addresses and multicast. */
const isPublicIpv6 = createBlocks('2000::/3')

export function isReceiverAddress(address: string, allowPrivate: boolean): boolean {
  if (isIP(address) === 0 || isReserved(address)) return false
  if (isPrivate(address)) return allowPrivate
  return isIP(address) === 4 || isPublicIpv6(address)
}

/**
 * The host of a URL without the brackets of an IPv6 address. The URL parser has turned decimal and octal forms into
 * IPv4.
 */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1')

/** Ports below 1024 that are not HTTP belong to services such as mail, which must not get our requests. */
const HTTP_PORTS = ['', '80', '443']

/**
 * Returns the URL of a receiver, or a sentence that says what is wrong with it. Host names are checked at each
 * delivery.
 */
export function parseReceiverUrl(text: string, allowPrivate: boolean): { url: string } | { problem: string } {
  const address = parseWebAddress(text)
  const url = address === undefined ? undefined : new URL(address)
  if (!url || (url.protocol !== 'https:' && !allowPrivate))
    return { problem: 'must be an https URL of at most 1000 characters, without a user name or password' }
  if (!HTTP_PORTS.includes(url.port) && Number(url.port) < 1024)
    return { problem: 'must have the port 80, 443 or one from 1024' }
  const host = hostOf(url)
  if (isIP(host) !== 0 && !isReceiverAddress(host, allowPrivate))
    return { problem: 'must have a public address' }
  url.hash = ''
  return { url: url.href }
}
