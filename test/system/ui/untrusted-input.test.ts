import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Social } from '../../../src/core/passport/passport.ts'
import { inBrowser } from '../../support/explorer/browser.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { HOSTILE_NAMES } from '../../support/explorer/hostile-names.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { credential, record, social } from '../../support/store/records.ts'

/** If executed, each sets `pwned` or sends a request to another host. */
const MARKUP = [
  '<script>window.pwned=1</script>',
  '"><img src=x onerror="window.pwned=1">',
  "'><svg onload='window.pwned=1'>",
  '</title></text></svg><script>window.pwned=1</script>',
  ']]></style></script><script>window.pwned=1</script>',
  '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://evil.example/x.png"/></svg>',
  '<iframe src="javascript:window.pwned=1"></iframe>',
  '<a href="javascript:window.pwned=1">here</a>',
  '{{constructor.constructor("window.pwned=1")()}}<template><script>window.pwned=1</script></template>',
  '<!--<img src="https://evil.example/y.png">--!><img src="https://evil.example/z.png">',
  '&lt;script&gt;window.pwned=1&lt;/script&gt;&#60;img src=x onerror=window.pwned=1&#62;',
  '\u202e<script>\u2028window.pwned=1\u2029</script>\u0007\u001b[31m',
]

const LINKS = [
  'javascript:window.pwned=1',
  ' javascript:window.pwned=1',
  'JaVaScRiPt:window.pwned=1//https://example.com',
  'java\nscript:window.pwned=1',
  'data:text/html,<script>window.pwned=1</script>',
  'vbscript:window.pwned=1',
  'https://example.com/"onmouseover="window.pwned=1',
  "https://example.com/' onfocus='window.pwned=1' autofocus='",
  '//evil.example/x',
  'https://user:secret@evil.example/x',
  'https://example.com/zoe',
]

function hostileSocial(text: string, url: string): Social {
  const texts = { displayName: text, bio: text, location: text, followers: text, following: text }
  return social(text, text, { ...texts, url, imageUrl: 'https://evil.example/picture.png' })
}

function hostile(id: number, text: string, link: string) {
  return record(id, {
    profile: { displayName: text, bio: text, location: text, tags: [text, link] },
    mainWallet: `${text}${id}`,
    verifiedWallets: [`${text}${id}`, `${link}${id}`],
    scores: { total: 100 - id, activity: 1, identity: 2, skills: 3 },
    socials: [hostileSocial(text, link), { ...hostileSocial(link, text), source: 'github' }],
    credentials: [
      credential(`${text}-1`, { name: text, type: text, category: 'Activity', value: text }),
      credential(`${link}-2`, { name: link, type: 'github', category: text, value: link }),
    ],
  })
}

const ALL = 99

/** One passport for each text, and one with all of them. */
const PEOPLE = [
  ...[...MARKUP, ...HOSTILE_NAMES.map((name) => name.toWellFormed().slice(0, 200))].map((text, at) =>
    hostile(at + 1, text, LINKS[at % LINKS.length] as string),
  ),
  record(ALL, {
    profile: { displayName: MARKUP[3] as string, bio: MARKUP.join(' '), tags: [...MARKUP, ...LINKS] },
    scores: { total: 1000 },
    verifiedWallets: MARKUP.map((text) => `${text}${ALL}`),
    socials: LINKS.map((link, at) => hostileSocial(MARKUP[at] as string, link)),
    credentials: MARKUP.map((text, at) =>
      credential(`c${at}`, { name: text, type: text, category: text, value: text, score: 1 }),
    ),
  }),
]

/** A filter for people with a text in each field. */
function filterOf(text: string): string {
  const value = `"${text.slice(0, 120).toWellFormed().replace(/["\\]/g, '\\$&')}"`
  return encodeURIComponent(['tag', 'location', 'type'].map((field) => `${field}:${value}`).join(','))
}

function watch(page: Page, host: string): string[] {
  const seen: string[] = []
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.host !== host) seen.push(`request ${url}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 4')) seen.push(message.text())
  })
  page.on('pageerror', (error) => seen.push(error.message))
  return seen
}

/** Runs in a browser: finds elements and attributes that no page of ours has. */
function findInjected(pages: { path: string; text: string }[]): string[] {
  return pages.flatMap(({ path, text }) => {
    const type = path.includes('.svg') ? 'image/svg+xml' : 'text/html'
    const elements = new DOMParser().parseFromString(text, type).querySelectorAll('*')
    const isOurs = (element: Element) =>
      [...element.attributes].every(({ name, value }) => {
        if (/^on/i.test(name) || name === 'style') return false
        // Our icon is a data URL.
        if (element.matches('link[rel=icon]')) return true
        if (name === 'src') return /^\/(?!\/)/.test(value)
        return !/^(href|action|xlink:href)$/.test(name) || /^(https?:\/\/|\/(?!\/)|#|\?)/.test(value)
      }) &&
      !/^(iframe|object|embed|image|foreignobject|parsererror)$/i.test(element.tagName) &&
      (element.localName !== 'script' || /^\/assets\/\w+\.\w+\.js$/.test(element.getAttribute('src') ?? ''))
    return [...elements]
      .filter((element) => !isOurs(element))
      .map((element) => `${path}: ${element.outerHTML}`)
  })
}

inBrowser('untrusted input in pages', (browser) => {
  const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

  test('untrusted input runs no script and loads no file from other hosts', async () => {
    const page = await browser.newPage()
    const seen = watch(page, server.url.host)
    const query = encodeURIComponent(MARKUP[1] as string)
    const filter = filterOf(MARKUP[1] as string)
    const pages = ['/', `/?q=${query}`, `/?filter=${filter}`, `/?tag=${query}`, `/passports/${query}`]
    const browse = ['/credentials', `/credentials/${query}`, `/compare?ids=1,2,3,${ALL}`]
    const passport = [`/passports/${ALL}`, `/passports/${ALL}/score`, `/badge/${ALL}.svg`]
    for (const path of [...pages, ...browse, ...passport, `/card/${ALL}.svg`]) {
      await page.goto(server.url.origin + path, { waitUntil: path.includes('.svg') ? 'commit' : 'load' })
      expect({ path, ran: await page.evaluate(() => 'pwned' in window) }).toEqual({ path, ran: false })
    }
    expect(seen).toEqual([])
  })

  test('untrusted input adds no element and no attribute to a page or picture', async () => {
    const paths = [
      ...['/', '/?page=2', '/?sort=-skills_score', '/credentials'],
      ...PEOPLE.flatMap(({ id, profile }) => {
        const text = encodeURIComponent(profile.displayName.slice(0, 120).toWellFormed())
        return [
          ...[`/?q=${text}`, `/?filter=${filterOf(profile.displayName)}`, `/credentials/${text}`],
          ...[
            `/compare?ids=${id},${id + 1}`,
            `/compare?ids=1,${text}`,
            `/passports/${id}`,
            `/passports/${id}/score`,
          ],
          ...[`/badge/${id}.svg`, `/card/${id}.svg`],
        ]
      }),
    ]
    const pages = await Promise.all(
      paths.map(async (path) => {
        const { status, text } = await server.look(path)
        expect([path, status < 500, text.length < 200_000]).toEqual([path, true, true])
        return { path, text }
      }),
    )
    const page = await browser.newPage()
    expect(await page.evaluate(findInjected, pages)).toEqual([])
    const [injected] = await page.evaluate(findInjected, [{ path: '/', text: MARKUP.join('') }])
    expect(injected).toBe(`/: ${MARKUP[0]}`)
  })

  test('passport pages link only to http and https URLs without a user name or password', async () => {
    const anchors: string[] = []
    for (const { id } of PEOPLE) {
      const { status, text } = await server.look(`/passports/${id}`)
      expect([id, status]).toEqual([id, 200])
      anchors.push(...(text.match(/<a [^>]*href="https?:[^>]*>/g) ?? []))
    }
    // Share links contain the encoded address of the page.
    const links = anchors.filter((anchor) => !decodeURIComponent(anchor).includes(server.url.host))
    expect([...new Set(links)]).toEqual([
      '<a href="https://example.com/zoe" rel="nofollow noopener noreferrer ugc">',
    ])
  })

  test('the Content-Security-Policy blocks an injected script', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.route('**/*', async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue()
      const response = await route.fetch()
      const body = (await response.text()).replace(
        '</body>',
        '<script>window.pwned=1</script><img src="x" onerror="window.pwned=1"><p style="color:red">x</p></body>',
      )
      return route.fulfill({ response, body })
    })
    // Each of these pages has a different content security policy.
    for (const path of ['/', '/reference', '/deprecation']) {
      complaints.length = 0
      await page.goto(server.url.origin + path)
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
      expect(complaints.join('\n')).toContain('Content Security Policy')
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
