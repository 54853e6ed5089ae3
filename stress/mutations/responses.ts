import type { Mutation } from './mutation.ts'

const RESPONSES = ['test/core/http/responses.test.ts']
const CONTENT = ['test/core/http/untrusted-input.test.ts']
const RETIREMENT = ['test/features/v1/retirement.test.ts', 'test/features/retire/plan.test.ts']

/** Mutations of the headers and contents of responses. */
export const RESPONSE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'ETags: a weak ETag in If-None-Match does not match',
    file: 'src/core/http/response.ts',
    from: "tag.trim().replace(/^W\\//, '') === etag",
    to: 'tag.trim() === etag',
    tests: RESPONSES,
  },
  {
    name: 'ETags: If-Match is ignored',
    file: 'src/core/http/response.ts',
    from: 'tag.trim() === etag)) return\n',
    to: "tag.trim() !== '')) return\n",
    tests: RESPONSES,
  },
  {
    name: 'ETags: a 304 has a Content-Type',
    file: 'src/core/http/response.ts',
    from: "  headers.delete('Content-Type')\n",
    to: '',
    tests: RESPONSES,
  },
  {
    name: 'CORS: pages of other origins cannot read responses',
    file: 'src/core/http/response.ts',
    from: "'Access-Control-Allow-Origin': '*'",
    to: "'Access-Control-Allow-Origin': 'null'",
    tests: RESPONSES,
  },
  {
    name: 'CORS: a preflight does not allow Authorization',
    file: 'src/core/http/response.ts',
    from: 'Content-Type, Authorization,',
    to: 'Content-Type,',
    tests: RESPONSES,
  },
  {
    name: 'CORS: other origins may read HTML pages',
    file: 'src/core/http/rendered-page.ts',
    from: "  headers.delete('Access-Control-Allow-Origin')\n",
    to: '',
    tests: ['test/ui/site.test.ts'],
    title: 'other origins can read pictures and the API, but not pages',
  },
  {
    name: 'CSP: other sites may frame the pages',
    file: 'src/ui/assets-and-csp.ts',
    from: "frame-ancestors 'none'",
    to: 'frame-ancestors *',
    tests: CONTENT,
  },
  {
    name: 'CSP: inline scripts run',
    file: 'src/ui/assets-and-csp.ts',
    from: "script-src 'self'",
    to: "script-src 'self' 'unsafe-inline'",
    tests: CONTENT,
  },
  {
    name: 'HTML: quotes are not escaped',
    file: 'src/ui/html.ts',
    from: '/[&<>"\']/',
    to: '/[&<>]/',
    tests: ['test/features/explorer/passport/passport.test.ts'],
  },
  {
    name: 'HTML: bidirectional controls stay in names',
    file: 'src/ui/text.ts',
    from: '\\p{Bidi_Control}',
    to: '',
    tests: ['test/ui/link-previews.test.ts'],
  },
  {
    name: 'compression: small bodies are compressed',
    file: 'src/core/http/rendered-page.ts',
    from: 'body.length < MIN_COMPRESSED_LENGTH || ',
    to: '',
    tests: ['test/core/http/compression.test.ts'],
  },
  {
    name: 'compression: the weight of identity is ignored',
    file: 'src/core/http/rendered-page.ts',
    from: "(weights.get('identity') ?? 0)",
    to: '-1',
    tests: ['test/core/http/compression.test.ts'],
  },
  {
    name: 'compression: caches do not know that responses vary',
    file: 'src/core/http/rendered-page.ts',
    from: "  headers.set('Vary', 'Accept-Encoding')\n",
    to: '',
    tests: ['test/core/http/compression.test.ts'],
  },
  {
    name: 'retirement: a brownout ends a moment late',
    file: 'src/features/retire/plan.ts',
    from: 'start <= now && now < end',
    to: 'start <= now && now <= end',
    tests: RETIREMENT,
  },
  {
    name: 'retirement: V1 responds at the moment of its removal',
    file: 'src/features/retire/plan.ts',
    from: 'now >= sunsetAt',
    to: 'now > sunsetAt',
    tests: RETIREMENT,
  },
  {
    name: 'retirement: every key is exempt from brownouts',
    file: 'src/features/retire/headers-and-brownouts.ts',
    from: 'plan.exempt.includes(keyId)',
    to: 'true',
    tests: RETIREMENT,
  },
  {
    name: 'TLS: the listener with the old certificate stays open',
    file: 'src/serve/request-listener.ts',
    from: '        void drain(old)\n',
    to: '',
    tests: ['test/system/serve/tls.test.ts'],
  },
]
