import { type FullPassport, type Social, walletsOf } from '../../domain/passport.ts'
import { count } from '../../domain/text/format.ts'
import { parseWebAddress } from '../../domain/url.ts'
import { type Html, html } from '../html.ts'
import { graphemesOf, shortWord } from '../sanitize.ts'

const LONGEST_WORD = 200

/** Who it is. All of it was written by strangers: `dir="auto"` keeps their direction of writing to itself. */
export function renderPerson(passport: FullPassport, name: string): Html {
  const { id, human, connections, profile } = passport
  const location = shortWord(profile.location, LONGEST_WORD)
  const tags = profile.tags.map((tag) => shortWord(tag, LONGEST_WORD)).filter((tag) => tag !== '')
  return html`<div class="person">
<span class="initial" aria-hidden="true">${initialOf(name)}</span>
<div>
<h1 dir="auto">${name}</h1>
<p class="line">${human ? HUMAN : html`<span class="soft">Not known to be human</span>`}
${name === numberOf(id) ? html`` : html`<span class="soft">${numberOf(id)}</span>`}
${location === '' ? html`` : html`<span class="soft"><bdi>${location}</bdi></span>`}
<span class="soft">${count(connections, 'connection')}</span></p>
</div>
${profile.bio.trim() === '' ? html`` : html`<p class="bio" dir="auto">${profile.bio.trim()}</p>`}
${tags.length === 0 ? html`` : html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li dir="auto">${tag}</li>`)}</ul>`}
</div>`
}

/** The name of a passport that has no other. */
const numberOf = (id: number) => `Passport ${id}`

const HUMAN = html`<span class="checked"><svg class="human" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7.5"/><path d="m4.5 8.3 2.4 2.4 4.6-5"/></svg> Checked to be human</span>`

/** The first letter as people count letters: an emoji of many parts is one. */
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
<h2>Accounts elsewhere</h2>
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

/** Says where it leads: the name of a link is a stranger's word. */
function renderLink(address: string, text: string): Html {
  const host = /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? ''
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc"><bdi>${text}</bdi></a> <span class="soft">${host}</span>`
}
