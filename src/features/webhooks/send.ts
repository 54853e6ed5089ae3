import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { VERSION } from '../../core/basics/version.ts'
import { hostOf, isReceiverAddress } from './receiver-address.ts'

const TIMEOUT_MILLISECONDS = 15_000

/** A receiver that sends more interim responses (1xx) would keep the thread of all deliveries busy. */
const MOST_INTERIM = 4

/** The headers of each response have at most this size, so those of all responses take less than 64 KiB. */
const MOST_HEADER_BYTES = 12_800

/** Resolves a host name to all of its addresses. */
type Resolve = (host: string) => Promise<LookupAddress[]>

export type SendOptions = {
  /** Admits http and private networks. */
  allowPrivate: boolean
  /** Ends the attempt early. */
  signal: AbortSignal
  resolve?: Resolve
  timeout?: number
}

export type Reply = { status: number } | { error: string }

/**
 * Sends one request and returns the status. Redirects are not followed, the body of the response is not read, and proxies of
 * the environment are not used. Each attempt has its own connection, whose address is checked.
 */
export function send(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { allowPrivate, signal, resolve: resolveHost = resolveAll, timeout = TIMEOUT_MILLISECONDS }: SendOptions,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const url = new URL(target)
  const host = hostOf(url)
  const isHttps = url.protocol === 'https:'
  if (!isHttps && !allowPrivate) return Promise.resolve({ error: 'The URL must be https.' })
  // Node does not look up the host if it is an address.
  if (isIP(host) !== 0 && !isReceiverAddress(host, allowPrivate)) return Promise.resolve(REFUSED)
  const limit = AbortSignal.timeout(timeout)
  const end = AbortSignal.any([limit, signal])
  const bytes = Buffer.from(body)
  const request = (isHttps ? requestHttps : requestHttp)(url, {
    method: 'POST',
    agent: false,
    rejectUnauthorized: true,
    lookup: createCheckedLookup(resolveHost, allowPrivate),
    signal: end,
    maxHeaderSize: MOST_HEADER_BYTES,
    headers: {
      ...headers,
      'Content-Type': 'application/cloudevents+json',
      'Content-Length': bytes.length,
      'User-Agent': `passportd/${VERSION}`,
    },
  })
  let interim = 0
  request.on('information', () => {
    if (++interim > MOST_INTERIM) request.destroy(new TooManyInterim())
  })
  request.on('response', (response) => {
    resolve({ status: response.statusCode ?? 0 })
    response.destroy()
  })
  /** Only the first call of `resolve` has an effect. */
  function fail(error?: NodeJS.ErrnoException): void {
    if (limit.aborted) resolve({ error: `The receiver did not respond within ${timeout / 1000} s.` })
    else if (error instanceof RefusedAddress) resolve(REFUSED)
    else if (error instanceof TooManyInterim) resolve({ error: error.message })
    else if (error) resolve({ error: `The connection failed (${error.code ?? error.name}).` })
    else resolve({ error: 'The connection was closed.' })
  }
  end.addEventListener('abort', () => fail())
  request.on('close', () => fail()).on('error', fail)
  request.end(bytes)
  return promise
}

/** The message does not contain the address, which may come from an internal name server. */
const REFUSED: Reply = { error: 'The host of the URL has an address that is not public.' }

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
}

class UnknownHost extends Error {
  readonly code = 'ENOTFOUND'
}

class TooManyInterim extends Error {
  override readonly message = `The receiver sent more than ${MOST_INTERIM} interim responses (1xx).`
}

/** The socket connects to an address that this function has checked, so a later DNS answer cannot replace it. */
function createCheckedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (host, _options, callback) => {
    resolve(host).then(
      (addresses) => {
        const isAllowed = addresses.every(({ address }) => isReceiverAddress(address, allowPrivate))
        if (addresses.length === 0) callback(new UnknownHost(), [])
        else callback(isAllowed ? null : new RefusedAddress(), addresses)
      },
      (error) => callback(error, []),
    )
  }
}

const resolveAll: Resolve = (host) => lookup(host, { all: true })
