import { etagOf } from '../store/hash.ts'
import type { Context, Route } from './request.ts'

/** A body that is sent more than once: its ETag and its compressed forms are computed once. */
export type Page = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  etag: string
  compressed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>
}

type Encoding = keyof typeof COMPRESS

const COMPRESS = {
  zstd: (body: string) => new Uint8Array(Bun.zstdCompressSync(body)),
  gzip: (body: string) => Bun.gzipSync(body),
}

/** Smaller bodies hardly shrink. */
const SMALLEST_COMPRESSED = 1024

export const createPage = (body: string, headers: Readonly<Record<string, string>>, status = 200): Page => ({
  status,
  headers,
  body,
  etag: etagOf(body),
  compressed: {},
})

/** The page, compressed as the client accepts it. Every form has the ETag of the uncompressed body. */
export function sendPage(request: Request, context: Pick<Context, 'headers'>, page: Page): Response {
  const { status, body, etag } = page
  const headers = new Headers(context.headers)
  for (const name in page.headers) headers.set(name, page.headers[name] as string)
  headers.set('Vary', 'Accept-Encoding')
  if (status === 200) headers.set('ETag', etag)
  const accepted = body.length < SMALLEST_COMPRESSED ? undefined : request.headers.get('accept-encoding')
  const encoding = chooseEncoding(accepted ?? '')
  if (!encoding) return new Response(body, { status, headers })
  const compressed = page.compressed[encoding] ?? COMPRESS[encoding](body)
  page.compressed[encoding] = compressed
  headers.set('Content-Encoding', encoding)
  return new Response(compressed, { status, headers })
}

/** A page that is open to everybody. */
export const pageRoute = (path: string, page: () => Page): Route => ({
  path,
  kind: 'own',
  name: 'page',
  handle: (request, context) => sendPage(request, context, page()),
})

/** The best encoding by the weights of `Accept-Encoding`; `undefined` is no encoding. */
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
