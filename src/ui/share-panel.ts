import { type Html, html } from './html.ts'
import { CARD_SIZE, type Share } from './layout.ts'
import { renderCopyable } from './text.ts'

export const SHARE_BUTTON = html`<button class="quiet" type="button" popovertarget="share">Share</button>`

/**
 * Renders a panel with the card of the page, if it has one, links that post `text` on other sites, and `more`. The
 * script adds the buttons. Without an origin, there are no links. The browser loads the card when the panel opens.
 */
export function renderSharePanel(share: Share, text: string, origin: string, more: Html = html``): Html {
  const { path = '', card, title = '' } = share
  const link = `${origin}${path}`
  const data = origin !== '' && html` data-link="${link}" data-title="${text}"`
  return html`<section id="share" popover>
<div class="row between"><h2>Share</h2> <button class="quiet" type="button" popovertarget="share">Close</button></div>
${card !== undefined && renderCard(card, title)}${origin !== '' && renderCopyable('link', html`${link}`)}
<p class="row actions"${data}>${card !== undefined && renderDownload(card)}</p>
${origin !== '' && html`${renderNetworks(link, text)}${more}`}
</section>`
}

function renderCard(card: string, title: string): Html {
  const { width, height } = CARD_SIZE
  return html`<img class="card" src="${card}" width="${width}" height="${height}" loading="lazy" alt="Card: ${title}">`
}

function renderDownload(card: string): Html {
  const file = `passport-${card.replace(/^.*\/|\?.*$/g, '')}`
  return html`<a class="button quiet" href="${card}" download="${file}">Download card (PNG)</a>`
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
  const links = networks.map(
    ([name, address]) =>
      html`<a class="button quiet" href="${address}" rel="nofollow noopener noreferrer">${name}</a> `,
  )
  return html`<p class="row networks"><span class="soft">Post on</span> ${links}</p>
`
}
