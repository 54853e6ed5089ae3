import type { ApiServerOptions } from '../../../src/api/server.ts'
import { createCatalog } from '../../../src/catalog/catalog.ts'
import { DEFAULT_SITE } from '../../../src/domain/settings/site.ts'
import { createExplorer } from '../../../src/explorer/explorer.ts'
import type { ExplorerOptions } from '../../../src/explorer/explorer-page.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { findRules } from '../../../src/scoring/active-rules.ts'
import { createPassportExplainer } from '../../../src/scoring/explain.ts'
import type { Store } from '../../../src/store/store.ts'
import { serveTest } from '../http/server.ts'
import { NOON } from '../store/records.ts'

type Options = Partial<ApiServerOptions> & Partial<Pick<ExplorerOptions, 'explain' | 'publicUrl' | 'api'>>

export function serveExplorer(store: Store, { explain, publicUrl, api, ...options }: Options = {}) {
  const now = options.now ?? (() => NOON)
  const { routes, errorPage } = createExplorer({
    store,
    catalog: options.catalog ?? createCatalog(store),
    explain: explain ?? createPassportExplainer(store),
    rules: () => findRules(store),
    now,
    api,
    publicUrl,
    site: createSite(DEFAULT_SITE, publicUrl).site,
  })
  const server = serveTest(store, { ...options, errorPage, routes: [...routes, ...(options.routes ?? [])] })

  /** Without the OpenAPI check: the document does not describe these pages. */
  async function look(target: string, init: RequestInit = {}) {
    const response = await fetch(server.url.origin + target, { redirect: 'manual', ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  return { ...server, look }
}

export const readable = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
