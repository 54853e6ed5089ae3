import type { Awaitable } from '../core/basics/awaitable.ts'
import type { PageCache, RenderedPage } from '../core/http/rendered-page.ts'
import type { Context } from '../core/http/route.ts'
import type { PassportRef } from '../core/passport/passport.ts'
import type { ExplainedPassport } from '../core/passport/rules/explanation.ts'
import type { RuleSetShape } from '../core/passport/rules/rule-set.ts'
import type { Reads } from '../core/reads/search.ts'
import type { Site } from './site.ts'

export type ExplorerOptions = Reads & {
  explain: (ref: PassportRef) => Awaitable<ExplainedPassport | undefined>
  rules: () => Awaitable<RuleSetShape & { stamp: string }>
  listSources: () => Awaitable<readonly string[]>
  needsKey?: boolean
  now: () => number
  signs?: boolean
  site: Site
  /** Pages of all features, until the index changes. */
  pages: PageCache
  /** Logs an error that a page does not show. */
  onError: (error: unknown) => void
}

/** `params` are the decoded parameters of the path. */
export type ExplorerRequest = {
  path: string
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** If there is no public URL, `site.origin` is the origin of the request. */
  site: Site
  signal: AbortSignal
  /** Makes the request count as `units` requests. */
  charge: Context['charge']
}

export type ExplorerPage = {
  render(request: ExplorerRequest): Awaitable<RenderedPage>
  /**
   * The parameters that the page reads, and the version of data that is not in the index. Without a key, it is not
   * cached.
   */
  cacheKey?(request: ExplorerRequest): Awaitable<string | undefined>
}
