import { notFound } from '../../domain/errors.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { type ExplorerOptions, type ExplorerPage, file, POLICY } from '../explorer-page.ts'
import { describeRank, formatFigure, nameOf, shortNameOf } from '../format.ts'
import { type Html, html } from '../html.ts'
import { renderLayout } from '../layout.ts'
import { renderProfileMeta, sharePassport } from '../pictures/social-meta.ts'
import { renderCredentials } from './passport-credentials.ts'
import { renderExplanation } from './passport-explanation.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-person.ts'
import { renderScore, renderStanding } from './passport-score.ts'
import { renderSnippets } from './passport-snippets.ts'

export function createPassportPage({ store, catalog, api = () => 'open' }: ExplorerOptions): ExplorerPage {
  return {
    async version({ params }) {
      const ref = parsePassportRef(params.ref ?? '')
      if (!ref) throw notFound()
      const [passport, credentials] = [await store.v1.findPassport(ref), await store.v1.findCredentials(ref)]
      return `${passport?.etag} ${credentials?.etag} ${api()}`
    },
    async render({ params, origin, site }) {
      const ref = parsePassportRef(params.ref ?? '')
      const found = ref && (await store.credentials.find(ref))
      if (!found) throw notFound()
      const { passport, credentials } = found
      const standing = await catalog.standing(passport.scores.total)
      const name = shortNameOf(passport)
      const score = formatFigure(passport.scores.total)
      const main = html`<article class="passport-page">
${renderPerson(passport, nameOf(passport))}
${'id' in ref && ref.id !== passport.id ? html`<p class="soft">Passport ${ref.id} was merged into this one.</p>` : html``}
${passport.stale ? RECALCULATING : html``}
<div class="pair">
${renderScore(passport)}
${renderStanding(passport.scores.total, standing)}
</div>
${renderCredentials(credentials, passport.scores)}
${renderExplanation(passport)}
${renderWallets(passport)}
${renderSocials(passport.socials)}
${renderSnippets(passport.id, origin, api())}
</article>`
      const page = renderLayout({
        site,
        title: `${name}: ${score}`,
        description: `${name}: passport score ${score}, ${describeRank(standing)}`,
        share: sharePassport(passport, standing),
        head: renderProfileMeta(passport, origin),
        script: 'passport.js',
        main,
      })
      return file('text/html', page, POLICY.explorer)
    },
  }
}

/** The script polls the page until this element is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>This page shows the last known score. <span data-follows hidden>It updates automatically.</span>
<noscript>Reload the page to see the new score.</noscript></p>
</section>`
