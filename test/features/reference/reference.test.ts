import { expect, test } from 'bun:test'
import {
  errorExampleOn,
  expectCalls,
  expectEveryField,
  readCalls,
} from '../../support/explorer/reference-pages.ts'
import { createSite } from '../../support/explorer/site.ts'
import { listCalls } from '../../support/explorer/snippets.ts'
import { createReference } from '../../support/features/reference.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { DEFAULT_SITE } from '../../support/program/settings.ts'
import { openTestStore } from '../../support/store/engines.ts'

const server = shareServer(() => openTestStore('sqlite'), serveTest)

test('the reference loads only two stylesheets and two scripts of this service, under a strict Content-Security-Policy', async () => {
  const { text, headers } = await server.get('/reference/v3')
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  const policy = headers.get('Content-Security-Policy')
  expect(policy).toStartWith(
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'",
  )
  expect(policy).not.toContain('unsafe')
  const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url]) => url)
  expect(loaded.filter((url) => url?.endsWith('.css') || url?.endsWith('.js'))).toHaveLength(4)
  const links = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, url]) => url as string)
  const isOwn = (url: string) => url.startsWith(server.url.origin) || /^(#|\/(?!\/))/.test(url)
  expect(links.filter((url) => !isOwn(url))).toEqual([])
  expect(text).not.toMatch(/<script>|<style|style=|onclick|`/)
  expect((await server.get('/')).text).toBe((await server.get('/reference')).text)
})

const V3_SCHEMAS = [
  ...['Passport', 'Profile', 'Social', 'Credential', 'Standing', 'Explanation', 'ExplanationLine'],
  ...['LookupRequest', 'LookupBody', 'ListBody', 'Group', 'RuleSet', 'Diff', 'EventPage', 'Event'],
]
test('the pages of the calls of v3 show every field of every response', () =>
  expectEveryField(
    server,
    'v3',
    V3_SCHEMAS.map((name) => `V3${name}`),
  ))

test('the reference shows the type of a field, including alternatives, constants and lists', async () => {
  const text = await readCalls(server, 'v3')
  for (const type of [
    '<code>bio</code> <span class="soft">string or null',
    '<code>error</code> <span class="soft">&quot;not_found&quot; or &quot;malformed&quot; or &quot;ambiguous&quot;',
    '<code>include</code> <span class="soft">list of &quot;credentials&quot; or &quot;standing&quot; or &quot;explanation&quot;<',
    '<code>keys</code> <span class="soft">list of strings, required<',
    '<code>items</code> <span class="soft">list of objects<',
  ]) {
    expect(text).toContain(type)
  }
  expect(text).toContain('list of integers</span></dt>\n<dd>The ids of all passports that were merged into')
  expect(text).toContain(
    'name="as_of" data-in="query" autocomplete="off" spellcheck="false" placeholder="2026-10-01" value=""',
  )
  expect(text).not.toContain('name="Last-Event-ID"')
  expect(text).not.toMatch(/<dl class="fields"><\/dl>|undefined/)
})

test('the page of v3 links each of its calls, whose pages do not call it deprecated', async () => {
  const calls = await expectCalls(server, 'V3', { isDeprecated: false })
  expect(calls).toContain('data-needs-key')
})

test('the page of a call has its own title and canonical address, and an unknown call is not found', async () => {
  const { text } = await server.get('/reference/v3/getPassportV3')
  expect(text).toContain('<title>Get a passport by id, wallet or handle · V3 API · passportd</title>')
  expect(text).toContain(`<link rel="canonical" href="${server.url}reference/v3/getPassportV3">`)
  expect(text).toContain('<a href="/reference/v3">V3 API reference</a>')
  for (const path of ['/reference/v4', '/reference/v3/nothing', '/reference/v1/getPassportV3'])
    expect([path, (await server.get(path)).status]).toEqual([path, 404])
})

test('the reference describes each status once, and the page of a call those of the call, with examples', async () => {
  const { text } = await server.get('/reference/v3')
  const described = [...text.matchAll(/<dt id="status-(\d+)">/g)].map(([, status]) => status)
  expect(new Set(described).size).toBe(described.length)
  expect(described).toEqual(expect.arrayContaining(['304', '400', '404', '429', '503']))
  const { paths } = (await server.get('/openapi.json')).body
  for (const [path, id, method] of [
    ['/api/v3/rules/{stamp}', 'getRules', 'get'],
    ['/api/v3/records', 'writeRecords', 'post'],
  ] as const) {
    const page = (await server.get(`/reference/v3/${id}`)).text
    const tabs = [...page.matchAll(/<label><input [^>]*name="status"[^>]*><code>(\d+)<\/code>/g)]
    expect(tabs.map(([, status]) => status)).toEqual(Object.keys(paths[path][method].responses))
    for (const status of ['401', '429'])
      expect(page).toContain(`aria-label="Status ${status}" data-json-text>{`)
  }
})

test('the example of an error of a call is the response for something that does not exist, or to an unknown parameter', async () => {
  for (const [page, target] of [
    ['/reference/v3', '/api/v3/passports?page=2'],
    ['/reference/v3/getPassportV3', '/api/v3/passports/42?page=2'],
  ] as const) {
    const { status, text } = await server.get(target)
    const { request_id: _, ...body } = JSON.parse(text)
    expect([page, await errorExampleOn(server, page, status)]).toEqual([page, body])
  }
})

test('the calls of v3 are grouped by what they do', async () => {
  const read = async (path: string) =>
    [...(await server.get(path)).text.matchAll(/<h3>([^<]*)<\/h3><ul class="rows">(.*?)<\/ul>/gs)].map(
      ([, title, rows = '']) => [title, [...rows.matchAll(/<li id="(\w+)"/g)].map(([, id]) => id)],
    )
  const groups = await read('/reference/v3')
  expect(groups.map(([title]) => title)).toEqual([
    ...['Read', 'Follow changes', 'Write', 'Webhooks', 'Your own passport'],
  ])
  expect(groups.map(([, ids = []]) => ids[0])).toEqual([
    ...['listPassportsV3', 'listEvents', 'writeRecords', 'listSubscriptions', 'challengeWallet'],
  ])
  const side = (await server.get('/reference/v3/getDiff')).text.split('</nav>')[1] ?? ''
  const beside = [...side.matchAll(/<h2>(.*?)<\/h2>|href="\/reference\/v3\/(\w+)"/g)]
  expect(beside.map(([, title, id]) => title ?? id)).toEqual(groups.flat(2))
  expect(groups.flatMap(([, ids = []]) => ids)).toHaveLength((await listCalls(server, 'v3')).length)
})

test('/reference lists the calls of all versions, the newest first, with the addresses of earlier releases', async () => {
  const { text } = await server.get('/reference')
  const titles = [...text.matchAll(/<h3>(V.*?)<\/h3>/g)].map(([, title]) => title)
  expect(titles.slice(0, 5)).toEqual([
    'V3: read',
    'V3: follow changes',
    'V3: write',
    'V3: webhooks',
    'V3: your own passport',
  ])
  expect(titles.slice(5).filter((title) => !title?.endsWith(': deprecated'))).toEqual([])
  for (const path of await listCalls(server, 'v3'))
    expect(text).toContain(`<li id="${path.split('/').at(-1)}"><a href="${path}">`)
  for (const id of ['introduction', 'key', 'calls', 'errors']) expect(text).toContain(` id="${id}"`)
})

test('example requests use the public URL, or else the Host header if it is a plain host name', async () => {
  await using server = await serveRecords({}, [])
  const { text } = await server.get('/reference', { headers: { Host: 'passports.example.org:8080' } })
  expect(text).toContain('http://passports.example.org:8080/api/v3')
  const hostile = await server.get('/reference', { headers: { Host: "a'$(id)" } })
  expect(hostile.text).not.toContain('$(id)')
  const routes = createReference({
    site: createSite(undefined, 'https://public.example').site,
    stamp: 'stamp-of-ours',
    requireKey: true,
  })
  await using branded = serveTest(server.store, { routes })
  const show = async (path: string) => (await branded.get(path, { headers: { Host: 'other.example' } })).text
  const rules = await show('/reference/v3/getRules')
  expect(rules).toContain('https://public.example/api/v3/rules/stamp-of-ours')
  expect(rules).toContain('X-API-KEY: $KEY')
  expect((await server.get('/reference/v3/getRules')).text).not.toContain('X-API-KEY: $KEY')
  const page = await show('/reference')
  expect(page).toContain('<code>/card/42.png</code>')
  expect(page).toContain('https://public.example/api/v3')
  expect(page).not.toContain('other.example')
})

test('the key follows the parameters, unless the call needs one', async () => {
  for (const [id, needsKey] of [
    ['getPassportV3', false],
    ['removePassport', true],
  ] as const) {
    const { text } = await server.get(`/reference/v3/${id}`)
    const at = text.indexOf('id="key"')
    expect([id, at > 0, at < text.indexOf('<form id="call"')]).toEqual([id, true, needsKey])
  }
})

test('the reference says how to get a key and which limits apply, if the operator has set it', async () => {
  await using server = await serveRecords({}, [])
  const { site } = createSite({ ...DEFAULT_SITE, limits: 'A key allows 7 requests.' })
  await using limited = serveTest(server.store, { routes: createReference({ site }) })
  expect((await limited.get('/reference/v3')).text).toContain('</code>. A key allows 7 requests.</p>')
  for (const path of ['/reference/v3', '/reference/v3/getRules']) {
    expect((await server.get(path)).text).not.toContain('How to get a key')
    const read = async (keys: string) => {
      const routes = createReference({ site: createSite({ ...DEFAULT_SITE, keys }).site })
      await using branded = serveTest(server.store, { routes })
      return (await branded.get(path)).text
    }
    expect(await read('https://k.example/')).toContain(
      'How to get a key: <a href="https://k.example/" rel="noreferrer">https://k.example/</a>',
    )
    expect(await read('Ask "Ada" & co.')).toContain('How to get a key: Ask &quot;Ada&quot; &amp; co.')
  }
})

test('the snippets name a method other than GET, and other than POST with a body', async () => {
  const { text: removal } = await server.get('/reference/v3/removePassport')
  expect(removal).toMatch(
    /^[\s\S]*?curl -X DELETE '[\s\S]*?method: &#x27;DELETE&#x27;, [\s\S]*?requests\.delete\(/,
  )
  const { text: lookup } = await server.get('/reference/v3/lookUp')
  expect(lookup).toContain('curl ')
  expect(lookup).not.toContain('-X POST')
  expect(lookup).toContain(
    '<li><a href="/reference/v3/removePassport">Remove a passport <span>DELETE</span></a>',
  )
  const { text: overview } = await server.get('/reference/v3')
  expect(overview).toMatch(
    /<code>curl '<span data-url>http:\/\/[\w.:]+\/api\/v3\/passports\?limit=2&amp;select=/,
  )
  expect(overview).toContain('aria-label="Response" data-body data-json-text>{')
})
