import { notFound } from '../../domain/errors.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { levelOf } from '../../domain/rule-set.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { type Html, html } from '../design/html.ts'
import { formatFigure, nameOf, shortNameOf } from '../design/text.ts'
import { withoutCaching } from '../site/assets-and-csp.ts'
import type { ApiState, ExplorerOptions, ExplorerPage } from '../site/explorer-page-types.ts'
import {
  describeCard,
  renderProfileMeta,
  respondPage,
  sharePassport,
} from '../site/layout-and-link-previews.ts'
import { describeHighest, describeStrongest, findParts } from '../site/standings.ts'
import { renderCredentials, renderGrowth } from './passport-credentials.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-profile.ts'
import { renderDistribution, renderHistory, renderParts, renderScore } from './passport-score.ts'

export function createPassportPage(options: ExplorerOptions): ExplorerPage {
  const { store, catalog, rules, api = () => 'open' } = options
  return {
    async version({ params }) {
      const ref = parsePassportRef(params.ref ?? '')
      if (!ref) throw notFound()
      const [passport, credentials] = [await store.v1.findPassport(ref), await store.v1.findCredentials(ref)]
      return `${passport?.etag} ${credentials?.etag} ${api()}`
    },
    async render({ params, site, signal }) {
      const ref = parsePassportRef(params.ref ?? '')
      const found = ref && (await store.credentials.find(ref))
      if (!found) throw notFound()
      const { passport, credentials } = found
      const { id, scores } = passport
      const { levels = [], caps = {}, types } = await rules()
      const standing = await catalog.standing(scores.total)
      const [parts] = (await findParts(options, [scores], signal)) ?? []
      const context = { standing, parts: parts ?? {}, caps }
      const level = levelOf(scores.total, { levels })
      // The id in the URL, if it is that of a passport that was merged into this one.
      const merged = 'id' in ref && ref.id !== passport.id ? ref.id : undefined
      const [name, card] = [shortNameOf(passport), describeCard(passport)]
      const highest = describeHighest(scores, standing, context.parts)
      const best = highest || describeStrongest(scores)
      const headline = highest || (credentials.length > 0 ? count(credentials.length, 'credential') : '')
      const about = best.replace(/^(Top|Strongest)/, (word) => word.toLowerCase())
      const post = `${highest === '' ? card : `${name}: ${highest}`} on ${site.name}`
      const main = html`<article class="passport-page">
${renderPerson(passport, nameOf(passport), renderScore(scores.total, level, headline))}
${merged === undefined ? html`` : html`<p class="soft">Passport ${merged} was merged into this one.</p>`}
${passport.stale ? RECALCULATING : html``}
<div class="columns">
<div>
${renderParts(passport, context)}
${await renderHistory(store.events, passport, credentials)}
${renderCredentials({ id, credentials, scores, types })}
</div>
<div>
${renderShare(id, card, post, site.origin)}
${renderGrowth(credentials, scores, caps)}
${renderDistribution(scores.total, standing)}
${renderSocials(passport)}
${renderWallets(passport)}
${renderSnippets(id, site.origin, api())}
</div>
</div>
</article>`
      const page = respondPage({
        site,
        title: `${name}: ${formatFigure(scores.total)}`,
        description: best === '' ? card : `${card}, ${about}`,
        share: sharePassport(passport, best, level?.level.name),
        head: renderProfileMeta(passport, site.origin),
        script: 'passport.js',
        main,
      })
      return parts ? page : withoutCaching(page)
    },
  }
}

/** The script polls the page until this element is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>This page shows the last known score. <span data-follows hidden>It updates automatically.</span>
<noscript>Reload the page to see the new score.</noscript></p>
</section>`

/**
 * Renders the card of a passport, and links that post `text` on other sites. The script adds the buttons. Without an origin,
 * there are no links. The card is an SVG, which has a hundredth of the PNG's size.
 */
function renderShare(id: number, card: string, text: string, origin: string): Html {
  const link = `${origin}/passports/${id}`
  return html`<section id="share">
<h2>Share</h2>
<img class="card" src="/card/${id}.svg" width="600" height="315" loading="lazy" alt="Card: ${card}">
<p class="row actions"${origin === '' ? html`` : html` data-link="${link}" data-title="${text}"`}><a class="button quiet" href="/card/${id}.png" download="passport-${id}.png">Download card</a></p>
${origin === '' ? html`` : html`${renderNetworks(link, text)}${renderBadge(id, link, origin)}`}
</section>`
}

/** Renders plain links, so that the page loads nothing from these sites. */
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
function renderBadge(id: number, page: string, origin: string): Html {
  const badge = `${origin}/badge/${id}.svg`
  return html`<div id="badge">
<p class="preview"><img class="badge" src="/badge/${id}.svg" alt="Badge of this passport" loading="lazy"></p>
<details id="embed">
<summary>Put this badge on your page</summary>
<form hidden data-picker>
<fieldset class="row"><legend>Style</legend>${radios('style', ['flat', 'plain', 'large'])}</fieldset>
<fieldset class="row"><legend>Theme</legend>${radios('theme', ['light', 'dark'])}</fieldset>
</form>
${renderLine('Markdown', `[![Passport ${id}](${badge})](${page})`)}
${renderLine('HTML', `<a href="${page}"><img src="${badge}" alt="Passport ${id}"></a>`)}
</details>
</div>`
}

/** Renders radio buttons. The first one is selected. */
const radios = (name: string, values: readonly string[]) =>
  values.map(
    (value, at) =>
      html`<label><input type="radio" name="${name}" value="${value}"${at === 0 ? html` checked` : html``}> ${value.charAt(0).toUpperCase()}${value.slice(1)}</label>`,
  )

const renderLine = (noun: string, text: string) =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>
`

/** Links and a command for programs that read the passport. */
function renderSnippets(id: number, origin: string, state: ApiState): Html {
  const key = state === 'open' ? '' : '-H "X-API-KEY: $KEY" '
  const command = `curl ${key}'${origin}/api/v3/passports/${id}?include=credentials'`
  return html`<section id="snippets">
<details id="developers">
<summary>For developers</summary>
${state === 'removed' ? REMOVED : html`<p>As JSON: <a href="/api/v1/passports/${id}">this passport</a>, <a href="/api/v1/passport_credentials?passport_id=${id}">its credentials</a>${state === 'open' ? '' : ' (key required)'}. The <a href="/reference">API reference</a> describes all fields.</p>`}
${origin === '' ? html`` : renderLine('command', command)}
</details>
</section>`
}

const REMOVED = html`<p>The V1 API of this service <a href="/deprecation">was removed</a>.</p>`
