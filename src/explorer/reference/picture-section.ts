import { type Html, html, prose } from '../design/html.ts'
import { heading } from './endpoint.ts'
import { renderTabs } from './snippets.ts'

export const PICTURES = { id: 'pictures', title: 'Badges, cards and embeds' }

/** The routes of pictures. They need no key, and `{key}` is an id or a wallet. */
const ROUTES = [
  {
    path: '/badge/{key}.svg',
    about:
      'A badge with the score. `style` is `flat` (default), `plain` or `large`; `theme` is `light` (default) or `dark`; `show` is `level` or `top` (such as "Top 14% Identity") in place of the score. An error is a badge, too.',
  },
  { path: '/badge/{key}.json', about: 'The same badge for the endpoint badges of shields.io.' },
  { path: '/card/{key}.png', about: 'A picture of 1200 x 630 pixels for link previews and posts.' },
  { path: '/card/compare.png?ids=7,42', about: 'The same for a comparison of two to four people, by id.' },
  { path: '/card/credential/{type}.png', about: 'The same for a type of credential.' },
  {
    path: '/oembed?url={page}',
    about:
      'oEmbed, for sites that turn the link to a passport into its card. `maxwidth` and `maxheight` limit its size.',
  },
]

export function renderPictures(origin: string): Html {
  const routes = ROUTES.map(
    ({ path, about }) => html`<dt><span class="method">GET</span> <code>${path}</code></dt>
<dd>${prose(about)}</dd>`,
  )
  return html`
<section id="${PICTURES.id}" class="call">
<div class="call-text">
${heading(PICTURES.id, PICTURES.title)}
<p>${prose('For README files, profiles and posts. They need no key. `{key}` is the id or a wallet of a passport. The page of a passport has them ready to copy.')}</p>
<dl>${routes}</dl>
</div>
<div class="call-code">
${renderTabs('embed', 'Kind of the embed', embeds(origin))}
</div>
</section>`
}

function embeds(origin: string) {
  const page = `${origin}/passports/42`
  const badge = `${origin}/badge/42`
  return [
    { name: 'Markdown', code: html`[![Passport 42](${badge}.svg?style=large)](${page})` },
    {
      name: 'HTML',
      code: html`${`<a href="${page}"><img src="${badge}.svg?theme=dark" alt="Passport 42"></a>`}`,
    },
    {
      name: 'shields.io',
      code: html`![Passport 42](https://img.shields.io/endpoint?url=${encodeURIComponent(`${badge}.json`)})`,
    },
    { name: 'oEmbed', code: html`curl '${origin}/oembed?url=${encodeURIComponent(page)}'` },
  ]
}
