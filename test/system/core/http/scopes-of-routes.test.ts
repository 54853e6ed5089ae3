import { expect, test } from 'bun:test'
import type { Route } from '../../../../src/core/http/route.ts'
import { withSlash } from '../../../../src/core/http/server.ts'
import type { Scope } from '../../../../src/core/store/api-key.ts'
import type { Store } from '../../../../src/core/store/store.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { serveTest } from '../../../support/http/server.ts'
import { ROUTES } from '../../../support/program/serving.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { NOON } from '../../../support/store/records.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS']
const ALLOWED = 'https://a.example'
const ORIGINS = [undefined, ALLOWED, `${ALLOWED}.evil.example`, 'null']

/** Requests that wait for their responses at once. */
const AT_ONCE = 100

type Principal = {
  name: string
  key?: string
  scopes: readonly Scope[]
  isPublishable?: true
  isInvalid?: true
}

async function createPrincipals(store: Store): Promise<Principal[]> {
  const all: readonly Scope[] = ['read', 'events', 'write:*']
  const kinds: (Omit<Principal, 'key'> & { expiresAt?: number; revokedAt?: number })[] = [
    { name: 'read', scopes: ['read'] },
    { name: 'events', scopes: ['events'] },
    { name: 'read and events', scopes: ['read', 'events'] },
    { name: 'write:github', scopes: ['write:github'] },
    { name: 'read and write:github', scopes: ['read', 'write:github'] },
    { name: 'write:*', scopes: ['write:*'] },
    { name: 'publishable', scopes: ['read'], isPublishable: true },
    { name: 'revoked', scopes: all, isInvalid: true, revokedAt: 1 },
    { name: 'expired', scopes: all, isInvalid: true, expiresAt: NOON },
  ]
  const principals: Principal[] = [{ name: 'no key', scopes: ['read'] }]
  for (const [at, { name, isPublishable, isInvalid, ...given }] of kinds.entries()) {
    const { key } = await makeKey(store, at + 1, { ...given, origins: isPublishable ? [ALLOWED] : [] })
    const flags = { ...(isPublishable && { isPublishable }), ...(isInvalid && { isInvalid }) }
    principals.push({ name, key, scopes: given.scopes, ...flags })
  }
  return principals
}

/** `routes` are the routes of one path, which differ in their methods. */
type Case = {
  routes: readonly Route[]
  method: string
  principal: Principal
  origin: string | undefined
  requireKey: boolean
}

const REACHED = '200 reached'

/** The possible outcomes of a request. */
function expectOutcome({ routes, method, principal, origin, requireKey }: Case): string[] {
  if (method === 'OPTIONS') return ['204']
  const route = routes.find(({ methods = ['GET', 'HEAD'] }) => methods.includes(method))
  if (routes.every(({ handle }) => !handle)) return ['404']
  if (!route) return ['401', '403', '405']
  if (!route.surface.usesKeys) return [REACHED]
  if (principal.isInvalid) return ['401']
  if (!principal.key && ((requireKey && !route.access) || route.needsKey)) return ['401']
  if (principal.isPublishable && origin !== ALLOWED) return ['403']
  return mayUse(principal.scopes, route.scope) ? [REACHED] : ['403']
}

function mayUse(scopes: readonly Scope[], wanted: Route['scope']): boolean {
  if (wanted === 'write') return scopes.includes('write:*') || scopes.includes('write:github')
  return scopes.includes(wanted)
}

/** The routes of the API. Their handlers only report that they were called. */
const PROBES: readonly Route[] = ROUTES.map((route) => ({
  ...route,
  handle: route.handle && (() => new Response('', { headers: { 'X-Reached': 'yes' } })),
}))

const toPath = (path: string) => path.replace(/:\w+/g, '7').replace('*', 'a/b')

function listCases(principals: readonly Principal[], requireKey: boolean): Case[] {
  const paths = Map.groupBy(PROBES.flatMap(withSlash), ({ path }) => path)
  return [...paths.values()].flatMap((routes) =>
    METHODS.flatMap((method) =>
      principals.flatMap((principal) =>
        ORIGINS.map((origin) => ({ routes, method, principal, origin, requireKey })),
      ),
    ),
  )
}

async function send(base: string, { routes, method, principal, origin }: Case): Promise<string> {
  const headers = {
    ...(principal.key && { 'X-API-KEY': principal.key }),
    ...(origin !== undefined && { Origin: origin }),
  }
  const response = await fetch(base + toPath(routes[0]?.path ?? ''), { method, headers, redirect: 'manual' })
  await response.body?.cancel()
  return `${response.status}${response.headers.has('X-Reached') ? ' reached' : ''}`
}

test('no combination of scopes, route, method and origin reaches a handler that it should not', async () => {
  await using store = await openTestStore('sqlite')
  const principals = await createPrincipals(store)
  const wrong: string[] = []
  let count = 0
  for (const requireKey of [false, true]) {
    await using server = serveTest(store, { routes: PROBES, requireKey })
    const queue = listCases(principals, requireKey).values()
    const work = async () => {
      for (const each of queue) {
        const [expected, got] = [expectOutcome(each), await send(server.url.origin, each)]
        count++
        const { routes, method, principal, origin = 'no origin' } = each
        const asked = `${method} ${routes[0]?.path}, ${principal.name}, ${origin}`
        if (!expected.includes(got)) wrong.push(`${asked}: ${got} instead of ${expected.join(' or ')}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  expect(wrong.slice(0, 20)).toEqual([])
  expect(count).toBeGreaterThan(10_000)
})

test('a route that can change data requires a scope other than read, or the session of a person', () => {
  const changing = ROUTES.filter(({ methods = [] }) =>
    methods.some((method) => ['PUT', 'PATCH', 'DELETE'].includes(method)),
  )
  expect(
    changing.filter(({ scope, access }) => scope === 'read' && access !== 'session').map(({ path }) => path),
  ).toEqual([])
  expect(ROUTES.filter(({ scope, surface }) => scope !== 'read' && !surface.usesKeys)).toEqual([])
})
