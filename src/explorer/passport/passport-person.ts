import type { FullPassport } from '../../domain/passport.ts'
import { rosette } from '../design/rosette.ts'
import { type Html, html } from '../html.ts'
import { renderWord } from '../ranking/ranking-list.ts'
import { lengthOf, shortenText, shortWord } from '../sanitize.ts'
import { renderSome } from './render-some.ts'

const MAX_NAME_LENGTH = 300
const MAX_WORD_LENGTH = 60
const MOST_TAGS = { rows: 30, bytes: 8000 }

/** The header of the page. All text is untrusted input: `dir="auto"` isolates its writing direction. */
export function renderPerson(passport: FullPassport, name: string, score: Html): Html {
  const { id, human, profile } = passport
  return html`<div class="person panel">
<svg class="watermark" viewBox="-104 -104 208 208" aria-hidden="true"><use href="#r${id}"/><use href="#r${id}" transform="rotate(8)scale(.94)"/><use href="#r${id}" transform="rotate(16)scale(.88)"/></svg>
${rosette(id)}
<div class="bearer">
<h1 class="clamp" dir="auto">${shortenText(name, MAX_NAME_LENGTH, lengthOf)}</h1>
<p class="row line">${human ? HUMAN : html``}
${name === numberOf(id) ? html`` : html`<span class="soft">${numberOf(id)}</span>`}
${profile.location === '' ? html`` : html`<span class="soft">${renderWord('place', profile.location, MAX_WORD_LENGTH)}</span>`}</p>
${renderBio(profile.bio.trim())}
${renderTags(profile.tags)}
<p class="row actions"><a class="button quiet" href="#share">Share</a> <a class="button quiet" href="/compare?ids=${id}">Compare</a></p>
</div>
${score}
</div>`
}

const numberOf = (id: number) => `Passport ${id}`

const HUMAN = html`<span class="pill" title="A credential shows that this passport belongs to a human">human</span>`

const MAX_BIO_LENGTH = 3000
const BIO_PREVIEW_LENGTH = 280
const BIO_PREVIEW_LINES = 4

/** A long bio is folded; a very long one is cut. */
function renderBio(bio: string): Html {
  if (bio === '') return html``
  const text = bio.length > MAX_BIO_LENGTH ? `${bio.slice(0, MAX_BIO_LENGTH).toWellFormed()}…` : bio
  const start = text.split('\n', BIO_PREVIEW_LINES).join('\n')
  const preview = shortenText(start, BIO_PREVIEW_LENGTH, lengthOf)
  if (preview.length >= text.length) return html`<p class="bio" dir="auto">${text}</p>`
  return html`<details id="bio">
<summary><span class="bio preview" dir="auto">${preview}</span> <span class="more">More</span> <span class="more less">Less</span></summary>
<p class="bio" dir="auto">${text}</p>
</details>`
}

function renderTags(tags: readonly string[]): Html {
  const { shown, more } = renderSome(
    tags.filter((tag) => shortWord(tag, 1) !== ''),
    (tag) => html`<li>${renderWord('tag', tag, MAX_WORD_LENGTH)}</li>`,
    MOST_TAGS,
  )
  if (shown.length === 0) return html``
  return html`<ul class="chips" aria-label="Tags">${shown}${more > 0 ? html`<li><bdi>+${more}</bdi></li>` : html``}</ul>`
}
