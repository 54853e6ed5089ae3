import { createPage, type RenderedPage } from '../api/rendered-page.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Explanation } from '../domain/explanation.ts'
import type { PassportRef } from '../domain/passport.ts'
import type { Awaitable, Store } from '../store/store.ts'

/** A page or file; it may load nothing but what `policy` allows. */
export const file = (type: string, body: string, policy: string, status = 200): RenderedPage =>
  createPage(
    body,
    {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
    },
    status,
  )

const writePolicy = (...directives: string[]) =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')

const OWN_FILES = ["script-src 'self'", "style-src 'self'", "connect-src 'self'"]
const NO_MORE = ['img-src data:', "form-action 'none'"]

/** Pages load their own files, call their own API, and show pictures of this service: nothing else. */
export const POLICY = {
  explorer: writePolicy(...OWN_FILES, "img-src 'self' data:", "form-action 'self'"),
  reference: writePolicy(...OWN_FILES, ...NO_MORE),
  deprecation: writePolicy("style-src 'self'", ...NO_MORE),
  file: writePolicy(...NO_MORE),
}

export type ExplorerOptions = {
  store: Store
  catalog: Catalog
  /** How the score of a passport comes about; `undefined` where there is no such passport. */
  explain: (ref: PassportRef) => Awaitable<Explanation | undefined>
  now: () => number
  /** What the API asks of those who call it now: `open` where this is not said. */
  api?: (() => ApiState) | undefined
  /** The address that people know the service by, where that is not the one it is asked at. */
  publicUrl?: string | undefined
}

export type ApiState = 'open' | 'key required' | 'removed'

/** `params` are the named parts of the path, decoded. */
export type ExplorerRequest = {
  path: string
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  origin: string
  signal: AbortSignal
}

export type ExplorerPage = {
  render(request: ExplorerRequest): Awaitable<RenderedPage>
  /** Changes with whatever the page shows that is not part of the snapshot. A page without a version is not cached. */
  version(request: ExplorerRequest): Awaitable<string | undefined>
}
