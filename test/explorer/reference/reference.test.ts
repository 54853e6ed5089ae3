import { expect, test } from 'bun:test'
import { DEFAULT_SITE } from '../../../src/config/site.ts'
import { datePlan, NO_PLAN } from '../../../src/domain/retirement.ts'
import { createReference } from '../../../src/explorer/reference/reference-routes.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

onEngine('sqlite', 'the reference page', (open) => {
  const server = shareServer(() => open(), serveTest)

  test('the reference loads only two stylesheets and one script of this service, under a strict Content-Security-Policy', async () => {
    const { text, headers } = await server.get('/reference')
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('Content-Security-Policy')
    expect(policy).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'",
    )
    expect(policy).not.toContain('unsafe')
    const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url]) => url)
    expect(loaded.filter((url) => url?.endsWith('.css') || url?.endsWith('.js'))).toHaveLength(3)
    const links = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, url]) => url as string)
    const isOwn = (url: string) => url.startsWith(server.url.origin) || /^(#|\/(?!\/))/.test(url)
    expect(links.filter((url) => !isOwn(url))).toEqual([])
    expect(text).not.toMatch(/<script>|<style|style=|onclick|`/)
    expect((await server.get('/')).text).toBe(text)
  })

  test('the reference shows V1 as removed from the moment of its sunset', async () => {
    await using store = await open()
    let now = NOON
    await using server = serveTest(store, {
      now: () => now,
      plan: () => ({ ...NO_PLAN, sunsetAt: NOON + 1 }),
    })
    expect((await server.get('/reference')).text).toContain('<h2>The V1 passport API ends on ')
    now = NOON + 1
    const { text } = await server.get('/reference')
    expect(text).toContain('<h2>The V1 passport API was removed</h2>')
  })

  const V1_SCHEMAS = ['ListedPassport', 'PassportProfile', 'PassportSocial', 'Credential', 'Pagination']
  const V3_SCHEMAS = [
    ...['Passport', 'Profile', 'Social', 'Credential', 'Standing', 'Explanation', 'ExplanationLine'],
    ...['LookupRequest', 'LookupBody', 'ListBody', 'Group', 'RuleSet', 'Diff', 'EventPage', 'Event'],
  ]
  test.each([
    ['/reference', ['Passport', ...V1_SCHEMAS]],
    ['/reference/v2', ['PassportV2', ...V1_SCHEMAS]],
    ['/reference/v3', V3_SCHEMAS.map((name) => `V3${name}`)],
  ])('%s shows every field of every response', async (path, names) => {
    const { text } = await server.get(path)
    const { components } = (await server.get('/openapi.json')).body
    for (const name of names) {
      const fields = Object.keys(components.schemas[name].properties)
      expect(fields).not.toBeEmpty()
      for (const field of fields) expect(text).toContain(`<code>${field}</code>`)
    }
  })

  test('the reference shows the type of a field, including alternatives, constants and lists', async () => {
    const { text } = await server.get('/reference/v3')
    for (const type of [
      '<code>bio</code> <span class="soft">string or null',
      '<code>error</code> <span class="soft">&quot;not_found&quot; or &quot;malformed&quot; or &quot;ambiguous&quot;',
      '<code>include</code> <span class="soft">list of &quot;credentials&quot; or &quot;standing&quot; or &quot;explanation&quot;<',
      '<code>keys</code> <span class="soft">list of strings<',
      '<code>items</code> <span class="soft">list of objects<',
    ]) {
      expect(text).toContain(type)
    }
    expect(text).toContain(
      'name="as_of" data-in="query" autocomplete="off" spellcheck="false" placeholder="2026-10-01" value=""',
    )
    expect(text).not.toContain('name="Last-Event-ID"')
    expect(text).not.toMatch(/<dl class="fields"><\/dl>|undefined/)
  })

  test('each API version has a page with its endpoints, and the version menu marks the version of the page', async () => {
    const { paths } = (await server.get('/openapi.json')).body
    for (const [path, version] of [
      ['/reference', 'V1'],
      ['/reference/v2', 'V2'],
      ['/reference/v3', 'v3'],
    ]) {
      const { text } = await server.get(path as string)
      expect(text).toContain(`<h1>The ${version} passport API</h1>`)
      expect(text).toContain(`<a href="${path}" aria-current="page">${version?.toLowerCase()}</a>`)
      expect(text).toContain('<a href="/reference/v3" aria-current="page">API</a></nav>')
      expect(text.includes('data-needs-key')).toBe(version === 'v3')
      const shown = [...text.matchAll(/<form data-path="([^"]+)"/g)].map((match) => match[1])
      // A path has a form for each of its operations.
      expect([...new Set(shown)]).toEqual(
        Object.keys(paths).filter((each) => each.startsWith(`/api/${version?.toLowerCase()}/`)),
      )
      for (const notice of ['id="deprecation"', ' passport API is deprecated</h2>'])
        expect([notice, text.includes(notice)]).toEqual([notice, version !== 'v3'])
    }
    expect((await server.get('/reference/v4')).status).toBe(404)
  })
})

test('the reference describes every status code once', async () => {
  await using server = await serveRecords({}, [])
  for (const path of ['/reference', '/reference/v3']) {
    const { text } = await server.get(path)
    const described = [...text.matchAll(/<dt id="status-(\d+)">/g)].map(([, status]) => status)
    expect(new Set(described).size).toBe(described.length)
    const linked = new Set([...text.matchAll(/href="#status-(\d+)"/g)].map(([, status]) => status))
    expect(described).toEqual(expect.arrayContaining([...linked]))
    expect(text.match(/Too many requests/g)).toHaveLength(1)
  }
})

test('example requests use the public URL, or else the Host header if it is a plain host name', async () => {
  await using server = await serveRecords({}, [])
  const { text } = await server.get('/reference', { headers: { Host: 'passports.example.org:8080' } })
  expect(text).toContain('http://passports.example.org:8080/api/v1')
  const hostile = await server.get('/reference', { headers: { Host: "a'$(id)" } })
  expect(hostile.text).not.toContain('$(id)')
  const { routes } = createReference('0.0.0', {
    site: createSite(undefined, 'https://public.example').site,
    plan: () => datePlan(NO_PLAN, NOON),
    now: () => NOON,
    explorer: true,
    stamp: () => 'stamp-of-ours',
  })
  await using branded = serveTest(server.store, { routes })
  const show = async (path: string) => (await branded.get(path, { headers: { Host: 'other.example' } })).text
  expect(await show('/reference/v3')).toContain('https://public.example/api/v3/rules/stamp-of-ours')
  const page = await show('/reference')
  expect(page).toContain('https://public.example/api/v1')
  expect(page).not.toContain('other.example')
})

test('the section of the key says how to get one, if the operator has set it', async () => {
  await using server = await serveRecords({}, [])
  expect((await server.get('/reference/v3')).text).not.toContain('How to get a key')
  const readKey = async (keys: string) => {
    const { routes } = createReference('0.0.0', { site: createSite({ ...DEFAULT_SITE, keys }).site })
    await using branded = serveTest(server.store, { routes })
    return /<section id="key".*?<\/section>/s.exec((await branded.get('/reference/v3')).text)?.[0]
  }
  expect(await readKey('https://k.example/')).toContain(
    'How to get a key: <a href="https://k.example/" rel="noreferrer">https://k.example/</a>',
  )
  expect(await readKey('Ask "Ada" & co.')).toContain('How to get a key: Ask &quot;Ada&quot; &amp; co.')
})

test.each(['/reference', '/reference/v2', '/reference/v3'])(
  '%s and the files that it loads have at most 60 KB when compressed',
  async (path) => {
    await using server = await serveRecords({}, [])
    const { text } = await server.get(path)
    expect(text.length).toBeLessThan(200_000)
    const files = [...text.matchAll(/<(?:link|script)[^>]* (?:src|href)="(\/[^"]+\.(?:js|css|woff2))"/g)]
    expect(files.length).toBeGreaterThanOrEqual(2)
    const sizes = await Promise.all(
      [path, ...files.map(([, file]) => file as string)].map(async (each) => {
        const response = await fetch(server.url.origin + each, {
          headers: { 'Accept-Encoding': 'gzip' },
          decompress: false,
        } as RequestInit)
        return (await response.arrayBuffer()).byteLength
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60_000)
  },
)

test('the snippets name a method other than GET, and other than POST with a body', async () => {
  await using server = await serveRecords({}, [])
  const { text } = await server.get('/reference/v3')
  const removal = text.slice(text.indexOf('id="removePassport"'))
  expect(removal).toMatch(
    /^[\s\S]*?curl -X DELETE '[\s\S]*?method: &#x27;DELETE&#x27;, [\s\S]*?requests\.delete\(/,
  )
  const [lookup] = text.slice(text.indexOf('id="lookUp"')).split('</section>', 1)
  expect(lookup).toContain('curl ')
  expect(lookup).not.toContain('-X POST')
})
