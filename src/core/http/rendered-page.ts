import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Awaitable } from '../basics/awaitable.ts'
import { createByteCache } from '../basics/byte-cache.ts'
import { etagOf } from '../basics/hash.ts'
import { fits, holdBody, type Limited, releaseBody, SMALL_BYTES, takeTurn } from './byte-budget.ts'

/** A body that is sent more than once: its ETag and its compressed body are computed once. */
export type RenderedPage = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Body
  etag: string
  compressed?: Awaitable<Uint8Array<ArrayBuffer> | Blob>
  uncompressed?: Body | Blob
}

type Body = string | Uint8Array<ArrayBuffer>

/** Compresses in the thread pool: large bodies would block the event loop. */
const compress = promisify<Body, Buffer<ArrayBuffer>>(gzip)

/** Compression hardly shrinks smaller bodies. */
const MIN_COMPRESSED_LENGTH = 1024

/** Files of these types are compressed already. */
const COMPRESSED_TYPE = /^(font\/woff2|image\/png)/

export const createPage = (body: Body, headers: RenderedPage['headers'], status = 200): RenderedPage => ({
  status,
  headers,
  body,
  etag: etagOf(body),
})

/** Compresses the body if `Accept-Encoding` allows gzip. The ETag is that of the uncompressed body. */
export async function sendPage(
  request: Request,
  context: Limited & { headers: Headers },
  page: RenderedPage,
): Promise<Response> {
  const { status, body, etag } = page
  const respond = async (payload: Body | Blob) => {
    if (payload instanceof Blob) {
      if (!fits(context, payload.size, payload)) await takeTurn(context, payload.size)
      holdBody(context, payload.size, payload)
    } else releaseBody(context)
    return new Response(payload, { status, headers })
  }
  const headers = new Headers(context.headers)
  for (const name in page.headers) headers.set(name, page.headers[name] as string)
  restrict(headers)
  headers.set('Vary', 'Accept-Encoding')
  // A response that must not be stored needs no ETag.
  if (status === 200 && headers.get('Cache-Control') !== 'no-store') headers.set('ETag', etag)
  const isIncompressible =
    body.length < MIN_COMPRESSED_LENGTH || COMPRESSED_TYPE.test(page.headers['Content-Type'] ?? '')
  if (isIncompressible || !acceptsGzip(request)) {
    page.uncompressed ??= share(body)
    return respond(page.uncompressed)
  }
  // Concurrent requests share one compression.
  page.compressed ??= compress(body)
  const compressed = await page.compressed
  const payload = compressed instanceof Blob ? compressed : share(compressed)
  page.compressed = payload
  headers.set('Content-Encoding', 'gzip')
  return respond(payload)
}

/** Makes a large body a Blob, whose bytes all responses share. Other bodies are copied for each response. */
const share = <B extends Body>(body: B): B | Blob => (body.length > SMALL_BYTES ? new Blob([body]) : body)

/** Other origins may read JSON and pictures, but no pages. */
function restrict(headers: Headers): void {
  const type = headers.get('Content-Type') ?? ''
  if (type.startsWith('application/json')) return
  headers.set('Referrer-Policy', 'no-referrer')
  if (type.startsWith('image/')) return
  headers.delete('Access-Control-Allow-Origin')
  headers.delete('Access-Control-Expose-Headers')
  if (!type.startsWith('text/html')) return
  headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  headers.set('Permissions-Policy', PERMISSIONS)
}

/** Browser features that no page uses. */
const PERMISSIONS = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics']
  .map((feature) => `${feature}=()`)
  .join(', ')

export function acceptsGzip({ headers }: Pick<Request, 'headers'>): boolean {
  const weights = parseWeights(headers.get('accept-encoding') ?? '')
  const weight = weights.get('gzip') ?? weights.get('*') ?? 0
  return weight > 0 && weight >= (weights.get('identity') ?? 0)
}

const acceptOf = ({ headers }: Request) => (headers.get('accept') ?? '').toLowerCase()

/** Whether `Accept` names HTML: browsers do, programs hardly ever. */
export const acceptsHtml = (request: Request): boolean => acceptOf(request).includes('text/html')

/** Whether `Accept` names no HTML, and the client is a program: it sends a key, or its `Accept` names JSON. */
export const prefersJson = (request: Request): boolean =>
  !acceptsHtml(request) &&
  (request.headers.has('x-api-key') || /application\/(?:json|\*)/.test(acceptOf(request)))

/** Real clients send shorter headers. The rest of a longer header is ignored. */
const LONGEST_ACCEPT = 1000

/** The values of a header such as `gzip;q=0.5, *`, in lower case, with their weights. */
export function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.slice(0, LONGEST_ACCEPT).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  return weights
}

const MOST_CACHED_BYTES = 32 * 1024 * 1024

/** Rendered pages of the current version of the index. */
export function createPageCache(mostBytes = MOST_CACHED_BYTES) {
  const pages = createByteCache<RenderedPage>(mostBytes)
  let version: unknown

  return {
    async get(current: unknown, key: string, render: () => Awaitable<RenderedPage>): Promise<RenderedPage> {
      if (current !== version) pages.clear()
      version = current
      const cached = pages.find(key)
      if (cached) return cached
      const page = await render()
      // Only pages of the current version are cached. Errors are never cached: clients can request endless missing
      // pages.
      if (current !== version || page.status !== 200 || isIncomplete(page)) return page
      return pages.getOrAdd(key, () => ({ value: page, bytes: estimateBytes(page) }))
    },
  }
}

/** An upper bound of the bytes of the body and its compressed forms. A large body is also kept as a Blob. */
const estimateBytes = ({ body: { length } }: RenderedPage) => (length > SMALL_BYTES ? 3 : 2) * length

/** Whether a part of the page is temporarily missing. Such a page must not be cached. */
const isIncomplete = ({ headers }: RenderedPage) => headers['Cache-Control'] === 'no-store'

export type PageCache = ReturnType<typeof createPageCache>
