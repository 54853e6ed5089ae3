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
 * Sends one request and returns the status. Redirects are not followed, the body of the response is not read, and
 * proxies of the environment are not used. Each attempt has its own connection, whose address is checked.
 */
export function sendWebhook(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: SendOptions,
): Promise<Reply> {
  const { allowPrivate, signal, timeout = TIMEOUT_MILLISECONDS } = options
  const url = new URL(target)
  const host = hostOf(url)
  if (url.protocol !== 'https:' && !allowPrivate) return Promise.resolve({ error: 'The URL must be https.' })
  // Node does not look up the host if it is an address.
  if (isIP(host) !== 0 && !isReceiverAddress(host, allowPrivate)) return Promise.resolve(REFUSED)
  const limit = AbortSignal.timeout(timeout)
  const end = AbortSignal.any([limit, signal])
  const request = createRequest(url, { ...headers, 'Content-Length': Buffer.byteLength(body) }, end, options)
  const { promise, resolve } = Promise.withResolvers<Reply>()
  let interim = 0
  request.on('information', () => {
    if (++interim > MOST_INTERIM) request.destroy(new TooManyInterim())
  })
  request.on('response', (response) => {
    resolve({ status: response.statusCode ?? 0 })
    response.destroy()
  })
  /** Only the first call of `resolve` has an effect. */
  const fail = (error?: NodeJS.ErrnoException) =>
    resolve({
      error: limit.aborted
        ? `The receiver did not respond within ${timeout / 1000} s.`
        : describeFailure(error),
    })
  end.addEventListener('abort', () => fail())
  request.on('close', () => fail()).on('error', fail)
  request.end(body)
  return promise
}

function createRequest(
  url: URL,
  headers: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
  { allowPrivate, resolve = resolveAll }: SendOptions,
) {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return request(url, {
    method: 'POST',
    agent: false,
    rejectUnauthorized: true,
    lookup: createCheckedLookup(resolve, allowPrivate),
    signal,
    maxHeaderSize: MOST_HEADER_BYTES,
    headers: {
      ...headers,
      'Content-Type': 'application/cloudevents+json',
      'User-Agent': `passportd/${VERSION}`,
    },
  })
}

function describeFailure(error?: NodeJS.ErrnoException): string {
  if (!error) return 'The connection was closed.'
  if (error instanceof RefusedAddress) return REFUSED.error
  if (error instanceof TooManyInterim) return error.message
  return `The connection failed (${error.code ?? error.name}).`
}

/** The message does not contain the address, which may come from an internal name server. */
const REFUSED = { error: 'The host of the URL has an address that is not public.' }

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
