import { createPage, type Page } from '../api/page.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Explanation } from '../domain/explanation.ts'
import type { PassportRef } from '../domain/passport.ts'
import type { Awaitable, Store } from '../store/store.ts'

/** A page or file; it may load nothing but what `policy` allows. */
export const file = (type: string, body: string, policy: readonly string[], status = 200): Page =>
  createPage(
    body,
    {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': writePolicy(policy),
    },
    status,
  )

const written = new WeakMap<readonly string[], string>()

function writePolicy(policy: readonly string[]): string {
  const known = written.get(policy) ?? ["default-src 'none'", ...policy, ...othersThan(policy)].join('; ')
  written.set(policy, known)
  return known
}

const NOTHING_ELSE = ['img-src data:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** A browser complains of a directive that is there twice. */
function othersThan(policy: readonly string[]): string[] {
  const nameOf = (directive: string) => directive.split(' ', 1)[0]
  const given = new Set(policy.map(nameOf))
  return NOTHING_ELSE.filter((directive) => !given.has(nameOf(directive)))
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
export type PageRequest = {
  path: string
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  origin: string
  signal: AbortSignal
}

export type ExplorerPage = {
  render(request: PageRequest): Awaitable<Page>
  /** Changes with whatever the page shows that is not part of the snapshot. A page without a version is not cached. */
  version(request: PageRequest): Awaitable<string | undefined>
}

/** Scripts and styles of our own, calls to our own API, and pictures that we draw ourselves: nothing else. */
export const POLICY = [
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
]
