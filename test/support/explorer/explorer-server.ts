import type { ApiServerOptions } from '../../../src/api/server.ts'
import { createCatalog } from '../../../src/catalog/catalog.ts'
import { DEFAULT_SITE, type SiteSettings } from '../../../src/domain/settings/site.ts'
import { createExplorer } from '../../../src/explorer/explorer.ts'
import type { ExplorerOptions } from '../../../src/explorer/explorer-page.ts'
import { type DrawPng, loadRasterizer } from '../../../src/explorer/pictures/rasterizer.ts'
import type { Rasterize } from '../../../src/explorer/pictures/remote-rasterizer.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { DEFAULT_RULES } from '../../../src/scoring/rules.ts'
import { score } from '../../../src/scoring/score.ts'
import type { Store } from '../../../src/store/store.ts'
import { serveTest } from '../http/server.ts'
import { NOON } from '../store/records.ts'

type Options = Partial<ApiServerOptions> &
  Partial<Pick<ExplorerOptions, 'explain' | 'publicUrl' | 'api' | 'rasterize'>> & { settings?: SiteSettings }

export function serveExplorer(
  store: Store,
  { explain, publicUrl, api, settings = DEFAULT_SITE, rasterize = drawPng, ...options }: Options = {},
) {
  const now = options.now ?? (() => NOON)
  const { routes, errorPage, errorPicture } = createExplorer({
    store,
    catalog: options.catalog ?? createCatalog(store),
    explain: explain ?? createExplain(store, now),
    now,
    api,
    publicUrl,
    site: createSite(settings, publicUrl).site,
    rasterize,
  })
  const server = serveTest(store, {
    ...options,
    errorPage,
    errorPicture,
    routes: [...routes, ...(options.routes ?? [])],
  })

  /** Without the OpenAPI check: the document does not describe these pages. */
  async function look(target: string, init: RequestInit = {}) {
    const response = await fetch(server.url.origin + target, { redirect: 'manual', ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  return { ...server, look }
}

let loaded: Promise<DrawPng> | undefined

/** In the thread of the test. */
export const drawPng: Rasterize = async (svg, width) => {
  loaded ??= loadRasterizer()
  return (await loaded)(svg, width)
}

/** With the default rules. */
function createExplain(store: Store, now: () => number): ExplorerOptions['explain'] {
  return async (ref) => {
    const evidence = await store.scoring.find(ref)
    if (!evidence) return undefined
    const { scores, lines } = score(evidence, DEFAULT_RULES, now())
    const { version, caps = {} } = DEFAULT_RULES
    return { passport: evidence.passport, scores, lines, rules: version, caps }
  }
}

export const readable = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
