import type { ApiServerOptions } from '../../../src/core/http/server-state.ts'
import { createLocalIndex, type IndexClient } from '../../../src/core/index/calls.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { createPassportExplainer } from '../../../src/core/reads/explain.ts'
import { findRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { createExplorer } from '../../../src/features/explorer/routes.ts'
import { MIRROR } from '../../../src/features/mirror/statements.ts'
import { type DrawPng, loadRasterizer } from '../../../src/features/pictures/rasterizer.ts'
import type { ExplorerOptions, Rasterize } from '../../../src/ui/page.ts'
import { createSite } from '../../../src/ui/site.ts'
import { DEFAULT_SITE, type SiteSettings } from '../../../src/ui/site-settings.ts'
import { serveTest } from '../http/server.ts'
import { owning } from '../owning.ts'
import { openTestStore } from '../store/engines.ts'
import { NOON } from '../store/records.ts'

type Options = Partial<ApiServerOptions> &
  Partial<Pick<ExplorerOptions, 'explain' | 'needsKey' | 'rasterize'>> & {
    settings?: SiteSettings
    publicUrl?: string
    /** Matches a character of the operator's fonts. */
    fonts?: RegExp
    /** Returns methods that replace those of the index. */
    replace?: (index: IndexClient) => Partial<IndexClient>
  }

export function serveExplorer(
  store: Store,
  {
    explain,
    publicUrl,
    fonts,
    needsKey = false,
    settings = DEFAULT_SITE,
    rasterize = drawPng,
    replace,
    ...options
  }: Options = {},
) {
  const index = options.index ?? createLocalIndex(store)
  const leftOut: unknown[] = []
  const { routes, errorPage, errorPicture } = createExplorer({
    onError: (error) => leftOut.push(error),
    store,
    index: { ...index, ...replace?.(index) },
    explain: explain ?? createPassportExplainer(store),
    rules: () => findRules(store),
    listSources: () => store.data(MIRROR).listSources(),
    needsKey,
    now: options.now ?? (() => NOON),
    signs: options.signing !== undefined,
    site: createSite(settings, publicUrl, true, fonts).site,
    rasterize,
  })
  const server = serveTest(store, {
    explorer: true,
    publicUrl,
    index,
    ...options,
    errorPage,
    errorPicture,
    routes: [...routes, ...(options.routes ?? [])],
  })

  /** Requests a page, without the OpenAPI check: the document does not describe pages. */
  async function look(target: string, init: RequestInit = {}) {
    const response = await fetch(server.url.origin + target, { redirect: 'manual', ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** `leftOut` has the errors that made a page leave out a part. */
  return { ...server, look, leftOut }
}

/** The explorer with these people in a new database. Disposing the server also closes the database. */
export async function servePeople(people: readonly PassportRecord[], options: Options = {}) {
  const store = await openTestStore('sqlite', people)
  const server = serveExplorer(store, options)
  return owning({ ...server, store }, store, server)
}

let loaded: Promise<DrawPng> | undefined

/** Draws a card in the thread of the test. */
export const drawPng: Rasterize = async (svg, width) => {
  loaded ??= loadRasterizer()
  return (await loaded)(svg, width)
}

export const readable = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
