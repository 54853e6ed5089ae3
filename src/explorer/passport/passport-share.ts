import { parseOrigin } from '../../domain/url.ts'
import { type Html, html } from '../design/html.ts'
import type { ApiState } from '../site/explorer-page.ts'

const BADGE_STYLES = { flat: 'Flat', plain: 'Plain', large: 'Large' } as const
const THEMES = { light: 'Light', dark: 'Dark' } as const

type Shared = {
  id: number
  /** Describes the card. */
  card: string
  text: string
  origin: string
}

/**
 * Ways to share a passport. Without an origin, links to other sites are unknown. The script adds the buttons. The card is shown
 * as SVG, which is a hundredth of the PNG.
 */
export function renderShare({ id, card, text, origin }: Shared): Html {
  // Validated, because people paste these lines into pages.
  const plain = parseOrigin(origin)?.origin
  return html`<section id="share">
<h2>Share</h2>
<img class="card" src="/card/${id}.svg" width="600" height="315" loading="lazy" alt="Card: ${card}">
<p class="row actions"${plain === undefined ? html`` : html` data-link="${plain}/passports/${id}" data-title="${text}"`}><a class="button quiet" href="/card/${id}.png" download="passport-${id}.png">Download card</a></p>
${plain === undefined ? html`` : html`${renderNetworks(`${plain}/passports/${id}`, text)}${renderBadge(id, plain)}`}
</section>`
}

/** Plain links: nothing is loaded from these sites. */
function renderNetworks(page: string, text: string): Html {
  const [url, words] = [encodeURIComponent(page), encodeURIComponent(text.toWellFormed())]
  const networks = [
    ['X', `https://x.com/intent/post?text=${words}&url=${url}`],
    ['Farcaster', `https://farcaster.xyz/~/compose?text=${words}&embeds[]=${url}`],
    ['LinkedIn', `https://www.linkedin.com/sharing/share-offsite/?url=${url}`],
    ['Bluesky', `https://bsky.app/intent/compose?text=${words}%20${url}`],
  ] as const
  return html`<p class="row networks"><span class="soft">Post on</span> ${networks.map(([name, address]) => html`<a href="${address}" rel="nofollow noopener noreferrer">${name}</a> `)}</p>
`
}

/** The script shows the picker and changes the preview and both snippets. */
function renderBadge(id: number, origin: string): Html {
  const page = `${origin}/passports/${id}`
  const badge = `${origin}/badge/${id}.svg`
  return html`<div id="badge">
<p class="preview"><img class="badge" src="/badge/${id}.svg" alt="Badge of this passport" loading="lazy"></p>
<details id="embed">
<summary>Put this badge on your page</summary>
<form hidden data-picker>
<fieldset class="row"><legend>Style</legend>${radios('style', BADGE_STYLES, 'flat')}</fieldset>
<fieldset class="row"><legend>Theme</legend>${radios('theme', THEMES, 'light')}</fieldset>
</form>
${renderLine('Markdown', `[![Passport ${id}](${badge})](${page})`)}
${renderLine('HTML', `<a href="${page}"><img src="${badge}" alt="Passport ${id}"></a>`)}
</details>
</div>`
}

const radios = (name: string, values: Readonly<Record<string, string>>, chosen: string) =>
  Object.entries(values).map(
    ([value, text]) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === chosen ? html` checked` : html``}> ${text}</label>`,
  )

const renderLine = (noun: string, text: string) =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>
`

/** The same data for programs. */
export function renderSnippets(id: number, origin: string, state: ApiState): Html {
  const plain = parseOrigin(origin)?.origin
  const key = state === 'open' ? '' : '-H "X-API-KEY: $KEY" '
  const command = `curl ${key}'${plain}/api/v3/passports/${id}?include=credentials'`
  return html`<section id="snippets">
<details id="developers">
<summary>For developers</summary>
${state === 'removed' ? REMOVED : html`<p>As JSON: <a href="/api/v1/passports/${id}">this passport</a>, <a href="/api/v1/passport_credentials?passport_id=${id}">its credentials</a>${state === 'open' ? '' : ' (key required)'}. The <a href="/reference">API reference</a> describes all fields.</p>`}
${plain === undefined ? html`` : renderLine('command', command)}
</details>
</section>`
}

const REMOVED = html`<p>The V1 API of this service <a href="/deprecation">was removed</a>.</p>`
