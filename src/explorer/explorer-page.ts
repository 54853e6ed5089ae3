import { createPage, type RenderedPage } from '../api/rendered-page.ts'
import type { Context } from '../api/route.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ExplainedPassport } from '../domain/explanation.ts'
import type { PassportRef } from '../domain/passport.ts'
import type { RuleSetShape } from '../domain/rule-set.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Rasterize } from './pictures/remote-rasterizer.ts'
import type { Site } from './site/site.ts'

/** A page or file with its Content-Security-Policy. */
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

/** For a page that lacks something for the moment: it is not cached, neither here nor by clients. */
export const withoutCaching = (page: RenderedPage): RenderedPage => ({
  ...page,
  headers: { ...page.headers, 'Cache-Control': 'no-store' },
})

const writePolicy = (...directives: string[]) =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')

const OWN_STYLE = ["style-src 'self'", "font-src 'self'"]
const OWN_FILES = ["script-src 'self'", ...OWN_STYLE, "connect-src 'self'"]
const OWN_IMAGES = "img-src 'self' data:"
const NO_FORM = "form-action 'none'"

/** Pages may load files and images of this service and call its API, nothing else. */
export const POLICY = {
  explorer: writePolicy(...OWN_FILES, OWN_IMAGES, "form-action 'self'"),
  reference: writePolicy(...OWN_FILES, OWN_IMAGES, NO_FORM),
  deprecation: writePolicy(...OWN_STYLE, OWN_IMAGES, NO_FORM),
  file: writePolicy('img-src data:', NO_FORM),
}

export type ExplorerOptions = {
  store: Store
  catalog: Catalog
  /** Explains the score of a passport; `undefined` if it does not exist. */
  explain: (ref: PassportRef) => Awaitable<ExplainedPassport | undefined>
  /** The active rule set. */
  rules: () => Awaitable<RuleSetShape & { stamp: string }>
  /** `open` by default. */
  api?: (() => ApiState) | undefined
  site: Site
  rasterize: Rasterize
  /** Called for errors that do not fail a page: it is shown without the part that failed. */
  onError: (error: unknown) => void
}

export type ApiState = 'open' | 'key required' | 'removed'

/** `params` are the decoded parameters of the path. */
export type ExplorerRequest = {
  path: string
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** With the origin of the request, if there is no public URL. */
  site: Site
  signal: AbortSignal
  /** Makes the request count as `units` requests. */
  charge: Context['charge']
}

export type ExplorerPage = {
  render(request: ExplorerRequest): Awaitable<RenderedPage>
  /** Part of the cache key, for content outside of the snapshot. A page without a version is not cached. */
  version(request: ExplorerRequest): Awaitable<string | undefined>
  /** Part of the cache key, for pages with parameters. Ignored ones are not part of it: they must not evict pages. */
  variant?(query: URLSearchParams): string
}
