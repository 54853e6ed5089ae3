import { expect, test } from 'bun:test'
import { createLocalIndex } from '../../../src/core/cli/local-index.ts'
import { DEFAULT_SITE, type SiteSettings } from '../../../src/core/config/site-settings.ts'
import type { Route } from '../../../src/core/http/route.ts'
import type { IndexClient } from '../../../src/core/index/calls.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import type { UseOfServer } from '../../../src/feature.ts'
import { createErrorPage } from '../../../src/ui/error-page.ts'
import type { ExplorerOptions } from '../../../src/ui/page.ts'
import { type ServerOptions, serveTest } from '../http/server.ts'
import { owning } from '../owning.ts'
import { SERVING, useOf } from '../program/serving.ts'
import { openTestStore } from '../store/engines.ts'
import { NOON } from '../store/records.ts'
import { createSite } from './site.ts'

/** Draws an SVG as a PNG of this width. */
export type Rasterize = (svg: string, width: number, signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>

type Options = ServerOptions &
  Partial<Pick<ExplorerOptions, 'explain' | 'needsKey'>> & {
    rasterize?: Rasterize
    settings?: SiteSettings
    publicUrl?: string
    /** Returns methods that replace those of the index. */
    replace?: (index: IndexClient) => Partial<IndexClient>
  }

/** The routes of the pages of all features. */
export const pagesOf = (store: Store, more: Partial<UseOfServer> = {}): Route[] =>
  SERVING.flatMap((part) => part.pages?.({ ...useOf(store), clients: clientsOf(drawNothing), ...more }) ?? [])

export function serveExplorer(
  store: Store,
  {
    explain,
    publicUrl,
    needsKey = false,
    settings = DEFAULT_SITE,
    rasterize = drawNothing,
    replace,
    ...options
  }: Options = {},
) {
  const index = options.index ?? createLocalIndex(store)
  const leftOut: unknown[] = []
  const clock = { time: NOON }
  const { now = () => clock.time } = options
  const { site } = createSite(settings, publicUrl, true)
  const routes = pagesOf(store, {
    onError: (error: unknown) => void leftOut.push(error),
    index: { ...index, ...replace?.(index) },
    ...(explain && { explain }),
    needsKey,
    now,
    signs: options.signing !== undefined,
    site,
    clients: clientsOf(rasterize),
  })
  const server = serveTest(store, {
    explorer: true,
    publicUrl,
    index,
    ...options,
    now,
    errorPage: createErrorPage(site),
    routes: [...routes, ...(options.routes ?? [])],
  })

  /** Requests a page, without the OpenAPI check: the document does not describe pages. */
  async function look(target: string, { headers, ...init }: RequestInit = {}) {
    const response = await fetch(server.url.origin + target, {
      redirect: 'manual',
      headers: { Accept: 'text/html', ...(headers as Record<string, string>) },
      ...init,
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** `leftOut` has the errors that made a page leave out a part. */
  return { ...server, clock, look, leftOut }
}

/** The explorer with these people in a new database. Disposing the server also closes the database. */
export async function servePeople(people: readonly PassportRecord[], options: Options = {}) {
  const store = await openTestStore('sqlite', people)
  const server = serveExplorer(store, options)
  return owning({ ...server, store }, store, server)
}

const drawNothing: Rasterize = () => Promise.reject(new Error('This server draws no pictures.'))

/** The client of the picture thread. */
const clientsOf = (rasterize: Rasterize) => ({ 'picture-thread': { rasterize, connect: () => undefined } })

/** A part of a page. One with markup is looked for in the source of the page, another text in its words. */
type Part = string | RegExp

/** A page, what it shows, and what it does not show. */
export type PageRow = [path: string, sees: readonly Part[], lacks?: readonly Part[]]

type Look = (path: string) => Promise<{ status: number; text: string }>

export async function expectPage(look: Look, [path, sees, lacks = []]: PageRow) {
  const { status, text } = await look(path)
  expect([path, status]).toEqual([path, 200])
  const words = readable(text)
  const has = (part: Part) => {
    if (typeof part !== 'string') return part.test(text) || part.test(words)
    return (/[<"]/.test(part) ? text : words).includes(part)
  }
  expect({ path, missing: sees.filter((part) => !has(part)), found: lacks.filter(has) }).toEqual({
    path,
    missing: [],
    found: [],
  })
}

/** One test for each row. Its title is the name of the row. */
export function testPages(server: { look: Look }, rows: Record<string, PageRow | PageRow[]>): void {
  for (const [title, pages] of Object.entries(rows))
    test(title, async () => {
      const list = Array.isArray(pages[0]) ? (pages as PageRow[]) : [pages as PageRow]
      for (const page of list) await expectPage(server.look, page)
    })
}

export const readable = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
