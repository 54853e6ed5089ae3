import { type FullPassport, type Profile, type Social, walletsOf } from '../../domain/passport.ts'
import { parseWebAddress } from '../../domain/url.ts'
import { formatFigure } from '../format.ts'
import { type Html, html } from '../html.ts'
import { shortenWallet } from '../ranking/ranking-list.ts'
import { shortWord } from '../sanitize.ts'
import { renderSome } from './render-some.ts'

const MOST_WALLETS = { rows: 30, bytes: 12_000 }
const MOST_ACCOUNTS = { rows: 40, bytes: 30_000 }
const MAX_WORD_LENGTH = 60
const MAX_BIO_LENGTH = 160

export function renderWallets(passport: FullPassport): Html {
  const wallets = walletsOf(passport)
  if (wallets.length === 0) return html``
  const { shown, more } = renderSome(wallets, renderWallet, MOST_WALLETS)
  return html`<section id="wallets">
<h2>Wallets</h2>
<ul class="rows">${shown}</ul>
${renderMore(more)}
</section>`

  function renderWallet(wallet: string, at: number): Html {
    const short = shortenWallet(wallet)
    const isMain = at === 0 && passport.mainWallet !== ''
    return html`<li class="copyable" data-copy="wallet ${short}" data-text="${wallet}"><div><code title="${wallet}">${short}</code>${isMain ? html` <span class="soft">main</span>` : html``}</div></li>`
  }
}

const renderMore = (more: number) =>
  more > 0 ? html`<p class="soft">and ${formatFigure(more)} more</p>` : html``

/** Omits texts that equal the profile. */
export function renderSocials({ socials, profile }: Pick<FullPassport, 'socials' | 'profile'>): Html {
  if (socials.length === 0) return html``
  const { shown, more } = renderSome(socials, (social) => renderSocial(social, profile), MOST_ACCOUNTS)
  return html`<section id="socials">
<h2>Accounts</h2>
<ul class="rows">${shown}</ul>
${renderMore(more)}
</section>`
}

function renderSocial(
  { source, name, displayName, url, followers, following, location, bio }: Social,
  profile: Profile,
): Html {
  const network = networkOf(source)
  const handle = shortWord(name || displayName || source, MAX_WORD_LENGTH) || network
  const address = parseWebAddress(url)
  const facts = [
    [name, handle, profile.displayName].includes(displayName) ? '' : shortWord(displayName, MAX_WORD_LENGTH),
    location === profile.location ? '' : shortWord(location, MAX_WORD_LENGTH),
    followers && `${formatCount(followers)} followers`,
    following && `${formatCount(following)} following`,
  ].filter((fact) => fact !== '')
  const about = bio === profile.bio ? '' : shortWord(bio, MAX_BIO_LENGTH)
  return html`<li><span class="soft">${network}</span>
<div>${address === undefined ? html`<bdi>${handle}</bdi>` : renderLink(address, handle, network)}
${facts.length === 0 ? html`` : html`<div class="row line soft">${facts.map((fact) => html`<bdi>${fact}</bdi> `)}</div>`}
${about === '' ? html`` : html`<div class="soft" dir="auto">${about}</div>`}</div></li>`
}

/** Names of networks as they write them; other sources are shown as they are. */
const NETWORKS: Readonly<Record<string, string>> = {
  basename: 'Basename',
  bluesky: 'Bluesky',
  builderfi: 'Builder.fi',
  discord: 'Discord',
  ens: 'ENS',
  farcaster: 'Farcaster',
  github: 'GitHub',
  gitlab: 'GitLab',
  lens: 'Lens',
  linkedin: 'LinkedIn',
  mastodon: 'Mastodon',
  talent_protocol: 'Talent Protocol',
  telegram: 'Telegram',
  twitter: 'X (Twitter)',
  x: 'X',
  youtube: 'YouTube',
}

function networkOf(source: string): string {
  const key = source.toLowerCase()
  return Object.hasOwn(NETWORKS, key) ? (NETWORKS[key] as string) : shortWord(source, MAX_WORD_LENGTH)
}

/** Sources send "1234" as well as "1.2k". */
const formatCount = (text: string): string =>
  /^\d{1,15}$/.test(text) ? formatFigure(Number(text)) : shortWord(text, 20)

/** Shows the host next to the link, because the link text is untrusted. */
function renderLink(address: string, text: string, network: string): Html {
  const host = /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? ''
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc"><bdi>${text}</bdi><span class="unseen"> on ${network}</span></a> <span class="soft">${host}</span>`
}
