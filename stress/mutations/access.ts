import type { Mutation } from './mutation.ts'

const KEYS = ['test/api/keys.test.ts']
const PUBLISHABLE = ['test/api/access/publishable-keys.test.ts']
const SCOPES = ['test/api/access/scopes-of-routes.test.ts']
const MCP_WRITES = ['test/mcp/write-records.test.ts']
const WEBHOOK_REQUESTS = ['test/client/verify-webhook.test.ts']
const LIMITS = ['test/api/limits/rate-limit.test.ts']
const WINDOWS = ['test/api/limits/fixed-window.test.ts']
const ADDRESS = ['test/api/limits/client-address.test.ts']

/** Mutations of keys, rate limits and client addresses. */
export const ACCESS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'auth: an expired or revoked key is accepted',
    file: 'src/api/client-identity.ts',
    from: " && keyState(key, now) === 'active'",
    to: '',
    tests: KEYS,
  },
  {
    name: 'auth: REQUIRE_API_KEY is ignored',
    file: 'src/api/server.ts',
    from: '(state.requireKey && !route.access) || route',
    to: 'route',
    tests: KEYS,
  },
  {
    name: 'auth: the secret part of a key is not compared',
    file: 'src/api/client-identity.ts',
    from: 'timingSafeEqual(hash, key.hash)',
    to: 'hash.length === key.hash.length',
    tests: KEYS,
  },
  {
    name: 'mcp: every agent may write',
    file: 'src/mcp/server.ts',
    from: '!tool.writes || canWrite(principal)',
    to: 'tool',
    tests: MCP_WRITES,
  },
  {
    name: 'mcp: an invalid key is accepted',
    file: 'src/mcp/http.ts',
    from: 'if (sent && !(matchesKey(sent, key) && isActive(key, now())))',
    to: 'if (sent && !key)',
    tests: MCP_WRITES,
  },
  {
    name: 'client: old webhook requests are accepted',
    file: 'packages/client/src/verify-webhook.ts',
    from: '  checkTime(timestamp)\n',
    to: '',
    tests: WEBHOOK_REQUESTS,
  },
  {
    name: 'client: signatures of webhook requests are not verified',
    file: 'packages/client/src/verify-webhook.ts',
    from: 'if (signature && (await crypto.subtle.verify(algorithm, imported, signature, signed)))',
    to: 'if (signature && imported && signed)',
    tests: WEBHOOK_REQUESTS,
  },
  {
    name: 'auth: the scopes of a key are not checked',
    file: 'src/api/server.ts',
    from: '    checkScope(exchange.principal, route.scope)\n',
    to: '',
    tests: SCOPES,
  },
  {
    name: 'auth: a publishable key is accepted without an origin',
    file: 'src/api/client-identity.ts',
    from: 'origin !== null && principal.origins.includes(origin)',
    to: 'origin === null || principal.origins.includes(origin)',
    tests: SCOPES,
  },
  {
    name: 'auth: an issuer may use routes that need write:*',
    file: 'src/api/client-identity.ts',
    from: "wanted === 'write' && isWrite(scope)",
    to: 'isWrite(wanted) && isWrite(scope)',
    tests: ['test/api/routes.test.ts'],
  },
  {
    name: 'auth: keys are not compared in constant time',
    file: 'src/api/client-identity.ts',
    from: 'timingSafeEqual(hash, key.hash)',
    to: 'Buffer.from(hash).equals(key.hash)',
    tests: ['test/security/security-page.test.ts'],
  },
  {
    name: 'auth: a revoked key is active',
    file: 'src/domain/api-key.ts',
    from: "  if (key.revokedAt !== undefined) return 'revoked'\n",
    to: '',
    tests: ['test/domain/api-key.test.ts'],
  },
  {
    name: 'auth: a key is valid at the moment of its expiry',
    file: 'src/domain/api-key.ts',
    from: 'key.expiresAt <= now',
    to: 'key.expiresAt < now',
    tests: ['test/domain/api-key.test.ts'],
  },
  {
    name: 'auth: a route that needs a key is open',
    file: 'src/api/server.ts',
    from: '(state.requireKey && !route.access) || route.needsKey',
    to: 'state.requireKey',
    tests: ['test/api/responses.test.ts'],
    title: 'responds 401 without a required key',
  },
  {
    name: 'auth: an unset variable of a client is a wrong key',
    file: 'src/api/client-identity.ts',
    from: "'undefined', 'null', 'None'",
    to: "'null', 'None'",
    tests: KEYS,
  },
  {
    name: 'limits: wrong keys are not counted',
    file: 'src/api/server.ts',
    from: '      if (sent && !key) await limiter.consumeWrongKey(address())\n',
    to: '',
    tests: LIMITS,
  },
  {
    name: 'limits: a request over the limit is accepted',
    file: 'src/api/rate-limit.ts',
    from: 'consumed.remaining >= 0) return consumed',
    to: 'consumed.remaining >= -1) return consumed',
    tests: LIMITS,
  },
  {
    name: 'limits: all clients without a key share one limit',
    file: 'src/api/client-identity.ts',
    from: 'if (!key) return address()',
    to: "if (!key) return ''",
    tests: LIMITS,
  },
  {
    name: 'limits: all visitors of a page with a publishable key share one limit',
    file: 'src/api/client-identity.ts',
    from: 'return isPublishable(key) ?',
    to: 'return false ?',
    tests: PUBLISHABLE,
  },
  {
    name: 'limits: the monthly quota is ignored',
    file: 'src/api/rate-limit.ts',
    from: '!isQuotaUsed(key.id, tier.monthly)',
    to: 'true',
    tests: LIMITS,
  },
  {
    name: 'limits: a rejected request counts against the monthly quota',
    file: 'src/api/usage.ts',
    from: 'status !== 304 && status !== 429',
    to: 'status !== 304',
    tests: LIMITS,
  },
  {
    name: 'limits: sums of the previous month count in a new month',
    file: 'src/api/usage.ts',
    from: '  if (!isSameMonth) Object.assign(state, { stored: new Map(), since: new Map() })\n',
    to: '',
    tests: LIMITS,
  },
  {
    name: 'windows: a request of several units counts as one',
    file: 'src/api/rate-limit.ts',
    from: ' : 0) + units)',
    to: ' : 0) + 1)',
    tests: WINDOWS,
  },
  {
    name: 'windows: a count stays after the end of its window',
    file: 'src/api/rate-limit.ts',
    from: 'state >>> COUNT_BITS === stamp && Atomics.load(memory, slot + END) === end',
    to: 'state !== 0',
    tests: WINDOWS,
  },
  {
    name: '304 refunds: refunds have no limit',
    file: 'src/api/rate-limit.ts',
    from: 'most, window).remaining < 0',
    to: 'most, window).remaining < -1',
    tests: [...WINDOWS, 'test/api/limits/not-modified.test.ts'],
  },
  {
    name: '304 refunds: If-None-Match with a star is free',
    file: 'src/api/response.ts',
    from: ' && !isAny(condition) && consumed',
    to: ' && consumed',
    tests: ['test/api/limits/not-modified.test.ts'],
  },
  {
    name: 'proxies: a forged address before that of the client is used',
    file: 'src/api/client-identity.ts',
    from: '        if (!isTrusted(hop)) break\n',
    to: '',
    tests: ADDRESS,
  },
  {
    name: 'proxies: X-Forwarded-For of any client is trusted',
    file: 'src/api/client-identity.ts',
    from: 'trusted.length > 0 && isTrusted(address)',
    to: 'trusted.length > 0',
    tests: ADDRESS,
  },
  {
    name: 'proxies: an IPv6 client is a single address',
    file: 'src/api/client-identity.ts',
    from: '.slice(0, 4)',
    to: '.slice(0, 8)',
    tests: ADDRESS,
  },
]
