import { type FullPassport, type Social, walletsOf } from '../../domain/passport.ts'
import { count } from '../../domain/text/format.ts'
import { parseWebAddress } from '../../domain/url.ts'
import { type Html, html } from '../html.ts'
import { graphemesOf, shortWord } from '../sanitize.ts'

const MAX_WORD_LENGTH = 200

/** All text is untrusted input: `dir="auto"` isolates its writing direction. */
export function renderPerson(passport: FullPassport, name: string): Html {
  const { id, human, connections, profile } = passport
  const location = shortWord(profile.location, MAX_WORD_LENGTH)
  const tags = profile.tags.map((tag) => shortWord(tag, MAX_WORD_LENGTH)).filter((tag) => tag !== '')
  return html`<div class="person">
<span class="initial" aria-hidden="true">${initialOf(name)}</span>
<div>
<h1 dir="auto">${name}</h1>
<p class="line">${human ? HUMAN : html`<span class="soft">Not verified as human</span>`}
${name === numberOf(id) ? html`` : html`<span class="soft">${numberOf(id)}</span>`}
${location === '' ? html`` : html`<span class="soft"><bdi>${location}</bdi></span>`}
<span class="soft">${count(connections, 'connection')}</span></p>
</div>
${profile.bio.trim() === '' ? html`` : html`<p class="bio" dir="auto">${profile.bio.trim()}</p>`}
${tags.length === 0 ? html`` : html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li dir="auto">${tag}</li>`)}</ul>`}
</div>`
}

const numberOf = (id: number) => `Passport ${id}`

const HUMAN = html`<span class="checked"><svg class="human" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7.5"/><path d="m4.5 8.3 2.4 2.4 4.6-5"/></svg> Verified human</span>`

/** The first grapheme: an emoji of several code points is one. */
function initialOf(name: string): string {
  const [letter = ''] = graphemesOf(name)
  return letter.toUpperCase()
}

export function renderWallets(passport: FullPassport): Html {
  const wallets = walletsOf(passport)
  if (wallets.length === 0) return html``
  return html`<section id="wallets">
<h2>Wallets</h2>
<ul class="rows">${wallets.map(
    (wallet, at) =>
      html`<li class="copyable" data-copy="wallet"><div><code>${wallet}</code>${at === 0 && passport.mainWallet !== '' ? html` <span class="soft">main</span>` : html``}</div></li>`,
  )}</ul>
</section>`
}

export function renderSocials(socials: readonly Social[]): Html {
  if (socials.length === 0) return html``
  return html`<section id="socials">
<h2>Social profiles</h2>
<ul class="rows">${socials.map(renderSocial)}</ul>
</section>`
}

function renderSocial({ source, name, displayName, url, followers, following, location, bio }: Social): Html {
  const handle = name || displayName || source
  const address = parseWebAddress(url)
  const counts = [followers && `${followers} followers`, following && `${following} following`]
  const facts = [displayName === handle ? '' : displayName, location, ...counts].filter((fact) => fact !== '')
  return html`<li class="social"><span class="soft">${source}</span>
<div>${address === undefined ? html`<bdi>${handle}</bdi>` : renderLink(address, handle)}
${facts.length === 0 ? html`` : html`<div class="line soft">${facts.map((fact) => html`<bdi>${fact}</bdi> `)}</div>`}
${bio === '' ? html`` : html`<div class="soft" dir="auto">${bio}</div>`}</div></li>`
}

/** Shows the host next to the link, because the link text is untrusted. */
function renderLink(address: string, text: string): Html {
  const host = /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? ''
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc"><bdi>${text}</bdi></a> <span class="soft">${host}</span>`
}
