import { isIP } from 'node:net'
import type { RequestSummary } from '../api/route.ts'
import type { Log } from '../log.ts'

/** One entry per request. Clients without a key stay anonymous. */
export const createRequestLog =
  (log: Log) =>
  ({ id, method, route, status, seconds, keyId, tier, address }: RequestSummary): void =>
    log.info('request', {
      request_id: id,
      method,
      route,
      status,
      milliseconds: Math.round(seconds * 1e6) / 1000,
      ...(keyId !== '' && { key: keyId }),
      tier,
      address: truncateAddress(address()),
    })

/** IPv4 without its last octet, IPv6 as its /48 block. */
export function truncateAddress(address: string): string {
  if (isIP(address) === 4) return address.replace(/\d+$/, '0')
  const groups = address.replace(/::\/64$/, '').split(':')
  return groups.length === 4 ? `${groups.slice(0, 3).join(':')}::/48` : ''
}
