import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { etagOf } from '../store/hash.ts'
import type { Awaitable } from '../store/store.ts'
import type { Context, Route } from './request.ts'

/** A body that is sent more than once: its ETag and its compressed bodies are computed once. */
export type RenderedPage = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Body
  etag: string
  compressed: Partial<Record<Encoding, Awaitable<Uint8Array<ArrayBuffer>>>>
}

type Body = string | Uint8Array<ArrayBuffer>
type Encoding = keyof typeof COMPRESS

const COMPRESS = {
  zstd: (body: Body) => Bun.zstdCompressSync(body) as Buffer<ArrayBuffer>,
  gzip: (body: Body) => Bun.gzipSync(body),
}

/** In the thread pool. */
const COMPRESS_LARGE = {
  zstd: (body: Body) => Bun.zstdCompress(body) as Promise<Buffer<ArrayBuffer>>,
  gzip: promisify<Body, Buffer<ArrayBuffer>>(gzip),
}

/** Compressing more would hold the event loop for more than a millisecond. */
const LARGE_LENGTH = 64 * 1024

/** Compression hardly shrinks smaller bodies. */
const MIN_COMPRESSED_LENGTH = 1024

export const createPage = (body: Body, headers: RenderedPage['headers'], status = 200): RenderedPage => ({
  status,
  headers,
  body,
  etag: etagOf(body),
  compressed: {},
})

/** Compresses the body as `Accept-Encoding` allows. The ETag is that of the uncompressed body. */
export async function sendPage(
  request: Request,
  context: Pick<Context, 'headers'>,
  page: RenderedPage,
): Promise<Response> {
  const { status, body, etag } = page
  const headers = new Headers(context.headers)
  for (const name in page.headers) headers.set(name, page.headers[name] as string)
  headers.set('Vary', 'Accept-Encoding')
  if (status === 200) headers.set('ETag', etag)
  const accepted = body.length < MIN_COMPRESSED_LENGTH ? undefined : request.headers.get('accept-encoding')
  const encoding = chooseEncoding(accepted ?? '')
  if (!encoding) return new Response(body, { status, headers })
  const compress = body.length < LARGE_LENGTH ? COMPRESS : COMPRESS_LARGE
  // Concurrent requests share one compression.
  page.compressed[encoding] ??= compress[encoding](body)
  headers.set('Content-Encoding', encoding)
  return new Response(await page.compressed[encoding], { status, headers })
}

/** A route without key and rate limit. */
export const pageRoute = (path: string, page: () => RenderedPage): Route => ({
  path,
  kind: 'own',
  name: 'page',
  handle: (request, context) => sendPage(request, context, page()),
})

/** The encoding with the highest weight in `Accept-Encoding`; `undefined` is no encoding. */
export function chooseEncoding(accepted: string): Encoding | undefined {
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weigh = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weigh('zstd') >= weigh('gzip') ? 'zstd' : 'gzip'
  return weigh(best) > 0 && weigh(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
