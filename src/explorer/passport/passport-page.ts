import { notFound } from '../../domain/errors.ts'
import { type FullPassport, parsePassportRef } from '../../domain/passport.ts'
import { levelOf } from '../../domain/rule-set.ts'
import { formatFigure, nameOf, shortNameOf } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'
import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page.ts'
import { withoutCaching } from '../site/files.ts'
import { respondPage } from '../site/layout.ts'
import type { Site } from '../site/site.ts'
import { describeCard, renderProfileMeta, sharePassport } from '../site/social-meta.ts'
import { describeBest, describeHighest, findParts } from '../site/standings.ts'
import { renderCredentials, renderGrowth } from './passport-credentials.ts'
import { renderHistory } from './passport-history.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-profile.ts'
import { renderDistribution, renderParts, renderScore, type ScoreContext } from './passport-score.ts'
import { renderShare, renderSnippets } from './passport-share.ts'

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
      const context = { standing, parts: parts ?? {}, levels, caps }
      // The id of a passport that was merged into this one.
      const merged = 'id' in ref && ref.id !== passport.id ? ref.id : undefined
      const best = describeBest(scores, standing, context.parts)
      const main = html`<article class="passport-page">
${renderPerson(passport, nameOf(passport), renderScore(passport, credentials.length, context))}
${merged === undefined ? html`` : html`<p class="soft">Passport ${merged} was merged into this one.</p>`}
${passport.stale ? RECALCULATING : html``}
<div class="columns">
<div>
${renderParts(passport, context)}
${await renderHistory(store.events, passport, credentials)}
${renderCredentials({ id, credentials, scores, types })}
</div>
<div>
${renderShare({ id, card: describeCard(passport), text: describePost(passport, context, site), origin: site.origin })}
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
        title: `${shortNameOf(passport)}: ${formatFigure(scores.total)}`,
        description: describePage(passport, best),
        share: sharePassport(passport, best, levelOf(scores.total, { levels })?.level.name),
        head: renderProfileMeta(passport, site.origin),
        script: 'passport.js',
        main,
      })
      return parts ? page : withoutCaching(page)
    },
  }
}

function describePage(passport: FullPassport, best: string): string {
  const score = describeCard(passport)
  return best === '' ? score : `${score}, ${best.replace(/^(Top|Strongest)/, (word) => word.toLowerCase())}`
}

/** The text of a post about the passport. */
function describePost(passport: FullPassport, { standing, parts }: ScoreContext, site: Site): string {
  const best = describeHighest(passport.scores, standing, parts)
  return `${shortNameOf(passport)}: ${best || `passport score ${formatFigure(passport.scores.total)}`} on ${site.name}`
}

/** The script polls the page until this element is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>This page shows the last known score. <span data-follows hidden>It updates automatically.</span>
<noscript>Reload the page to see the new score.</noscript></p>
</section>`
