import { isIP } from 'node:net'
import type { RequestSummary } from '../api/server.ts'
import type { Log } from '../log.ts'

/** One entry a request, with nothing in it by which a caller who has no key could be told from others. */
export const createRequestLog =
  (log: Log) =>
  ({ id, method, route, status, seconds, key, tier, address }: RequestSummary): void =>
    log.info('request', {
      request_id: id,
      method,
      route,
      status,
      milliseconds: Math.round(seconds * 1e6) / 1000,
      ...(key !== '' && { key }),
      tier,
      address: shorten(address()),
    })

/** IPv4 without its last number, IPv6 as its block of 48 bits. */
export function shorten(address: string): string {
  if (isIP(address) === 4) return address.replace(/\d+$/, '0')
  const groups = address.replace(/::\/64$/, '').split(':')
  return groups.length === 4 ? `${groups.slice(0, 3).join(':')}::/48` : ''
}
