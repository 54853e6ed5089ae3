import { notFound } from '../../../core/basics/errors.ts'
import { parsePassportRef } from '../../../core/passport/passport.ts'
import { levelOf } from '../../../core/passport/rules/rule-set.ts'
import { findPassport, findVersion } from '../../../core/reads/passports.ts'
import { findNeighbours } from '../../../core/reads/search.ts'
import { createScript, PARTS } from '../../../ui/assets-and-csp.ts'
import { escapeText, type Html, html } from '../../../ui/html.ts'
import { respondPage, sharePassport } from '../../../ui/layout.ts'
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { renderSharePanel } from '../../../ui/share-panel.ts'
import { describeHighest, readStanding } from '../../../ui/standings.ts'
import { nameOf, renderCopyable, shortNameOf, shortWord } from '../../../ui/text.ts'
import script from './passport.client.ts?text' with { type: 'text' }
import { PROOF_ROW, proofsOf, renderCredentials, renderGrowth } from './passport-credentials.ts'
import { findHistory, renderHistory, renderLastChange } from './passport-history.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-profile.ts'
import * as passportScore from './passport-score.ts'

export const PASSPORT_SCRIPT = createScript('passport.js', PARTS.share, script)

export function createPassportPage(options: ExplorerOptions): ExplorerPage {
  const { rules, signs, needsKey = false } = options
  return {
    async cacheKey({ params }) {
      const ref = parsePassportRef(params.ref ?? '')
      if (!ref) throw notFound()
      return (await findVersion(options, ref)) ?? ''
    },
    async render({ params, site, signal, charge }) {
      // The people with the same tag cost as much as a list with a filter.
      charge(3)
      const ref = parsePassportRef(params.ref ?? '')
      const person = ref && (await findPassport(options, ref))
      if (!person) throw notFound()
      const { passport, credentials } = person
      const { id, scores } = passport
      const { levels = [], caps = {}, types } = await rules()
      const standing = await readStanding(options, scores, signal)
      const { above, alike } = await findNeighbours(options, passport, signal)
      const level = levelOf(scores.total, { levels })
      // The id in the URL, if it is that of a passport that was merged into this one.
      const merged = 'id' in ref && ref.id !== passport.id ? ref.id : undefined
      const highest = describeHighest(standing)
      const share = sharePassport(passport, highest, level?.level.name)
      const description = `${share.title}. ${share.description}`
      const history = await findHistory(options, passport, credentials)
      const rank = passportScore.renderRank(id, standing.total, above)
      const isFirst = highest === 'No. 1 overall'
      const top = highest === '' || isFirst ? html`` : html`<p class="best">${highest}</p>`
      const score = html`${passportScore.renderScore(scores.total, levels, [top, rank])}
${renderLastChange(history)}`
      const list = renderCredentials({ id, credentials, scores, types })
      // The list may be too long to have the row. A record may also say "human" without a credential.
      const evidence = list.markup.includes(PROOF_ROW) ? '#human' : '/about#human'
      const proofs = proofsOf(credentials, types).map(({ name }) => name)
      const mark = passport.human ? renderHuman(evidence, proofs) : UNCHECKED
      const post = `${share.title}${highest === '' ? '' : `, ${highest}`} on ${site.name}`
      const badge = renderBadge(id, `Passport badge of ${shortNameOf(passport)}`, site.origin)
      const main = html`<article class="passport-page">
${renderPerson(passport, nameOf(passport), score, mark)}
${renderSharePanel(share, post, site.origin, badge)}
${CONTENTS}
${merged !== undefined && html`<p class="soft">Passport ${merged} was merged into this one.</p>`}
${passport.stale && RECALCULATING}
<div class="columns">
<div>${passportScore.renderParts(passport, { standing, caps, signs })}</div>
<div>${renderGrowth({ credentials, scores, types, caps })}</div>
<div>${renderHistory(history)}</div>
<div>${passportScore.renderAlike(passport, alike)}</div>
</div>
${list}
<div class="pair">
<div>${renderSocials(passport)}</div>
<div>${renderWallets(passport)}
${renderForPrograms(id, needsKey)}
</div>
</div>
</article>`
      const layout = { site, title: share.alt, description, share, main }
      return respondPage({ ...layout, script: PASSPORT_SCRIPT })
    },
  }
}

const CONTENTS = html`<p class="jump soft">On this page: <a href="#growth">what would raise the score</a>,
<a href="#history">history</a>, <a href="#credentials">credentials</a>, <a href="#socials">accounts</a></p>`

const renderForPrograms = (id: number, needsKey: boolean) => html`<p class="soft">For programs:
<a href="/api/v3/passports/${id}?include=credentials">this passport as JSON</a>${needsKey && ' (key required)'},
<a href="/reference/v3/getPassportV3">API reference</a></p>`

function renderHuman(evidence: string, proofs: readonly string[]): Html {
  const link = html`<a class="pill" href="${evidence}" title="Why this person counts as human">human</a>`
  const words = proofs.length !== 0 && ` via ${shortWord(proofs.join(' and '), 60)}`
  return html`<span>${link}<span class="soft">${words}</span></span>`
}

const UNCHECKED = html`<a class="pill" href="/about#human">no human check</a>`

/** The script polls the page until this element is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>This page shows the last known score. <span data-follows hidden>It updates automatically.</span>
<noscript>Reload the page to see the new score.</noscript></p>
</section>`

/** What a badge can show, and how badges look. The first of each is the default. */
const SHOWS = { score: 'Score', level: 'Level', top: 'Rank' }
const THEMES = { light: 'Light', dark: 'Dark' }

/**
 * The style sheet hides elements of the class `pick` whose other classes are not chosen, so the picker needs no script.
 */
function renderBadge(id: number, alt: string, origin: string): Html {
  const page = `${origin}/passports/${id}`
  const badge = `${origin}/badge/${id}.svg?`
  const preview = (
    show: string,
    theme: string,
  ) => html`<img class="pick ${show} ${theme}" src="/badge/${id}.svg?show=${show}&amp;theme=${theme}"
alt="Badge of this passport" loading="lazy">`
  const previews = Object.keys(SHOWS).flatMap((show) =>
    Object.keys(THEMES).map((theme) => preview(show, theme)),
  )
  const [start, end] = [`<a href="${page}"><img src="${badge}`, `" alt="${escapeText(alt)}"></a>`]
  return html`<div id="badge">
<h2>Badge for your page</h2>
${radios('show', 'Shows', SHOWS)}
${radios('theme', 'Theme', THEMES)}
<div class="preview">${previews}</div>
${renderCopyable('Markdown', html`[![${alt.replace(MARKDOWN, '\\$&')}](${badge}${renderPicks('&')})](${page})`)}
${renderCopyable('HTML', html`${start}${renderPicks('&amp;')}${end}`)}
</div>`
}

const MARKDOWN = /[\\`*_~[\]<>&|$]/g

/** The values in the address of the chosen badge. The default theme is omitted. */
function renderPicks(and: string): Html {
  const shows = Object.keys(SHOWS).map((show) => html`<span class="pick ${show}">show=${show}</span>`)
  return html`${shows}<span class="pick dark">${and}theme=dark</span>`
}

function radios(name: string, legend: string, choices: Readonly<Record<string, string>>): Html {
  const labels = Object.entries(choices).map(([value, label], at) => {
    const checked = at === 0 && html` checked`
    return html`<label><input type="radio" name="${name}" value="${value}"${checked}> ${label}</label>`
  })
  return html`<fieldset class="row"><legend>${legend}</legend>${labels}</fieldset>`
}
