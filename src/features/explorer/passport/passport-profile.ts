import { parseWebAddress } from '../../../core/basics/url.ts'
import { type FullPassport, type Profile, type Social, walletsOf } from '../../../core/passport/passport.ts'
import { type Html, html, renderWithin } from '../../../ui/html.ts'
import { coverColor, rosette } from '../../../ui/rosette.ts'
import { SHARE_BUTTON } from '../../../ui/share-panel.ts'
import { formatFigure, renderName, renderWord, shortenWallet, shortWord } from '../../../ui/text.ts'

const [MAX_NAME_LENGTH, MAX_WORD_LENGTH] = [300, 60]
const MOST_TAGS = { rows: 30, bytes: 8000 }

/**
 * Renders the header. All texts are untrusted; `dir="auto"` isolates their direction. `mark` says that the person is
 * human, and why.
 */
export function renderProfileHeader(passport: FullPassport, name: string, score: Html, mark: Html): Html {
  const { id, profile, mainWallet } = passport
  const number = `Passport ${id}`
  const place = renderWord('location', profile.location, MAX_WORD_LENGTH)
  return html`<div class="person cover">
${renderWatermark(id)}
${rosette(id)}
<div class="bearer">
<h1 class="clamp" dir="auto">${renderName(name, MAX_NAME_LENGTH)}</h1>
<p class="row line">${mark}
${profile.location !== '' && html`<span class="soft">${place}</span>`}
${name !== number && html`<span class="soft">${number}</span>`}</p>
</div>
<div class="facts">
${renderBio(profile.bio.trim())}
${renderTags(profile.tags)}
<p class="row actions">${SHARE_BUTTON}
<a class="button quiet" href="/compare?ids=${id}">Compare</a>
<a class="button quiet" href="/me?wallet=${encodeURIComponent(mainWallet)}">Is this you?</a></p>
</div>
${score}
</div>`
}

const renderWatermark = (id: number) => html`<svg class="watermark" aria-hidden="true">
<rect width="100%" height="100%" fill="${coverColor(id)}"/>
<svg x="100%" y="50%"><g>
<use href="#r${id}"/>
<use href="#r${id}" transform="rotate(8)scale(.94)"/>
<use href="#r${id}" transform="rotate(16)scale(.88)"/>
</g></svg>
</svg>`

const MAX_BIO_LENGTH = 600

/** A long bio is cut, and the style sheet shows its first lines. */
function renderBio(bio: string): Html {
  if (bio === '') return html``
  const text = bio.length > MAX_BIO_LENGTH ? `${bio.slice(0, MAX_BIO_LENGTH).toWellFormed()}…` : bio
  return html`<p class="bio clamp" dir="auto">${text}</p>`
}

function renderTags(tags: readonly string[]): Html {
  const { shown, more } = renderWithin(
    tags.filter((tag) => shortWord(tag, 1) !== ''),
    (tag) => html`<li>${renderWord('tag', tag, MAX_WORD_LENGTH)}</li>`,
    MOST_TAGS,
  )
  if (shown.length === 0) return html``
  return html`<ul class="chips" aria-label="Tags">${shown}${more > 0 && html`<li><bdi>+${more}</bdi></li>`}</ul>`
}

const [MOST_WALLETS, MAX_ACCOUNT_BIO] = [{ rows: 30, bytes: 12_000 }, 160]
const MOST_ACCOUNTS = { rows: 40, bytes: 30_000 }

export function renderWallets(passport: FullPassport): Html {
  return renderRows('wallets', 'Wallets', renderWithin(walletsOf(passport), renderWallet, MOST_WALLETS))

  function renderWallet(wallet: string, at: number): Html {
    const short = shortenWallet(wallet)
    const isMain = at === 0 && passport.mainWallet !== ''
    return html`<li class="copyable" data-copy="wallet ${short}" data-text="${wallet}">
<div><code title="${wallet}">${short}</code>${isMain && html` <span class="soft">main</span>`}</div>
</li>`
  }
}

function renderRows(id: string, title: string, { shown, more }: ReturnType<typeof renderWithin>): Html {
  if (shown.length + more === 0) return html``
  return html`<section id="${id}">
<h2>${title}</h2>
<ul class="rows">${shown}</ul>
${more > 0 && html`<p class="soft">and ${formatFigure(more)} more</p>`}
</section>`
}

export function renderSocials({ socials, profile }: Pick<FullPassport, 'socials' | 'profile'>): Html {
  const rows = renderWithin(socials, (social) => renderSocial(social, profile), MOST_ACCOUNTS)
  return renderRows('socials', 'Accounts', rows)
}

/** Renders an account, without texts that equal those of the profile. */
function renderSocial(social: Social, profile: Profile): Html {
  const { source, name, displayName, url, followers, following, location, bio } = social
  const network = networkOf(source)
  const handle = shortWord(name || displayName || source, MAX_WORD_LENGTH) || network
  const address = parseWebAddress(url)
  const facts = [
    [name, handle, profile.displayName].includes(displayName) ? '' : shortWord(displayName, MAX_WORD_LENGTH),
    location === profile.location ? '' : shortWord(location, MAX_WORD_LENGTH),
    followers && `${formatCount(followers)} ${followers === '1' ? 'follower' : 'followers'}`,
    following && `${formatCount(following)} following`,
  ].filter((fact) => fact !== '')
  const about = bio === profile.bio ? '' : shortWord(bio, MAX_ACCOUNT_BIO)
  return html`<li><span class="soft">${network}</span>
<div>${address === undefined ? html`<bdi>${handle}</bdi>` : renderLink(address, handle, network)}
${facts.length !== 0 && html`<div class="row line soft">${facts.map((fact) => html`<bdi>${fact}</bdi> `)}</div>`}
${about !== '' && html`<div class="soft" dir="auto">${about}</div>`}</div></li>`
}

/** Names that are not just the source with a capital letter. */
const NETWORKS: Readonly<Record<string, string>> = {
  ...{ builderfi: 'Builder.fi', ens: 'ENS', github: 'GitHub', gitlab: 'GitLab', linkedin: 'LinkedIn' },
  ...{ talent_protocol: 'Talent Protocol', twitter: 'X (Twitter)', youtube: 'YouTube' },
}

function networkOf(source: string): string {
  const key = source.toLowerCase()
  if (Object.hasOwn(NETWORKS, key)) return NETWORKS[key] as string
  return shortWord(source, MAX_WORD_LENGTH).replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

/** Formats whole numbers only, because sources also send texts such as "1.2k". */
const formatCount = (text: string): string =>
  /^\d{1,15}$/.test(text) ? formatFigure(Number(text)) : shortWord(text, 20)

/** Shows the host next to the link, because the link text is untrusted. */
function renderLink(address: string, text: string, network: string): Html {
  const host = /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? ''
  const words = html`<bdi>${text}</bdi><span class="unseen"> on ${network}</span>`
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc">${words}</a>
<span class="soft">${host}</span>`
}
