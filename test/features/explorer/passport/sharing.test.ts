import { expect, test } from 'bun:test'
import { servePeople } from '../../../support/explorer/explorer-server.ts'
import { HOSTILE_NAMES } from '../../../support/explorer/hostile-names.ts'
import { mira, OTHERS } from '../../../support/explorer/sample-passport.ts'
import { named } from '../../../support/store/records.ts'

test('links for sharing on other sites contain the URL of the page, the score, the level and the best standing', async () => {
  await using server = await servePeople([mira, ...OTHERS], { publicUrl: 'https://passports.example.com' })
  const { text } = await server.look('/passports/12')
  const page = encodeURIComponent('https://passports.example.com/passports/12')
  const words = encodeURIComponent(
    'Mira Kettlewood: passport score 1,042.5, Outstanding, No. 1 in Activity on passportd',
  )
  for (const address of [
    `https://x.com/intent/post?text=${words}&amp;url=${page}`,
    `https://farcaster.xyz/~/compose?text=${words}&amp;embeds[]=${page}`,
    `https://www.linkedin.com/sharing/share-offsite/?url=${page}`,
    `https://bsky.app/intent/compose?text=${words}%20${page}`,
  ])
    expect(text).toContain(`<a class="button quiet" href="${address}" rel="nofollow noopener noreferrer">`)
  expect(text).toContain(
    '<meta name="description" content="Mira Kettlewood: passport score 1,042.5, Outstanding. Builds kites. Lisbon · builder · zk · No. 1 in Activity · ',
  )
  expect(text).toContain('<button class="quiet" type="button" popovertarget="share">Share</button>')
})

test('the share panel shows the picture of link previews, and only then loads it', async () => {
  await using server = await servePeople([mira])
  const { text } = await server.look('/passports/12')
  const [, preview] = /<meta property="og:image" content="[^"]*?(\/card\/[^"]+)">/.exec(text) ?? []
  expect(preview).toBe('/card/12.png?score=1042.5')
  const panel = /<section id="share" popover>[\s\S]*?<\/section>/.exec(text)?.[0]
  expect(panel).toContain(
    `<img class="card" src="${preview}" width="1200" height="630" loading="lazy" alt="Card: Mira Kettlewood: passport score 1,042.5, Outstanding">`,
  )
})

/** Returns the attributes of the first image, and the number of elements in the markup. */
function readMarkup(markup: string) {
  const found = { image: {} as Record<string, string>, elements: 0 }
  const decode = (text: string) =>
    text.replace(/&(lt|gt|quot|amp|#x27);/g, (_, name) => ENTITIES[name as keyof typeof ENTITIES])
  new HTMLRewriter()
    .on('*', {
      element(element) {
        found.elements++
        if (element.tagName === 'img')
          for (const [name, value] of element.attributes) found.image[name] = decode(value)
      },
    })
    .transform(markup)
  return found
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&', '#x27': "'" }

test('the snippets of a badge describe it by name, whatever the name contains', async () => {
  const names = [
    'Ada Harborlight',
    'a](https://evil.example) ![b',
    '"><script>alert(1)</script>',
    '\\] `x` *y* __z__ ~~q~~ &quot; &amp; <i> | $1$',
    ...HOSTILE_NAMES,
  ]
  const people = names.map((name, at) => named(at + 1, name, 152))
  await using server = await servePeople(people, { publicUrl: 'https://passports.example.com' })
  for (const { id } of people) {
    const { text } = await server.look(`/passports/${id}`)
    const [, title = ''] = /<meta property="og:title" content="([^"]*)">/.exec(text) ?? []
    const described = readMarkup(`<img alt="${title}">`).image.alt ?? ''
    const alt = `Passport badge of ${described.slice(0, described.lastIndexOf(': passport score'))}`
    const [markdown = '', markup = ''] = [
      ...text.matchAll(/data-copy="(?:Markdown|HTML)"><code>(.*?)<\/code>/g),
    ]
      .map(([, code = '']) => code.replace(/<span class="pick (?!score)[^>]*>.*?<\/span>|<[^>]*>/g, ''))
      .map((code) => readMarkup(`<img alt="${code}">`).image.alt ?? '')
    const src = `https://passports.example.com/badge/${id}.svg?show=score`
    expect([id, readMarkup(markup)]).toEqual([id, { image: { src, alt }, elements: 2 }])
    expect([id, readMarkup(Bun.markdown.html(markdown))]).toEqual([id, { image: { src, alt }, elements: 3 }])
    if (id === 1) expect(alt).toBe('Passport badge of Ada Harborlight')
  }
})
