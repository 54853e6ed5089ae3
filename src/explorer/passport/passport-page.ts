import { notFound } from '../../domain/errors.ts'
import { type FullPassport, parsePassportRef } from '../../domain/passport.ts'
import { levelOf, type RuleSetShape } from '../../domain/rule-set.ts'
import type { Store } from '../../store/store.ts'
import { formatFigure, nameOf, shortNameOf } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'
import type { ApiState, ExplorerOptions, ExplorerPage } from '../site/explorer-page.ts'
import { file, POLICY, withoutCaching } from '../site/files.ts'
import { renderLayout } from '../site/layout.ts'
import type { Site } from '../site/site.ts'
import { describeCard, renderProfileMeta, sharePassport } from '../site/social-meta.ts'
import { createPartStandings, describeBest, describeHighest } from '../site/standings.ts'
import { renderCredentials, renderGrowth } from './passport-credentials.ts'
import { renderHistory } from './passport-history.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-profile.ts'
import { renderDistribution, renderParts, renderScore, type ScoreContext } from './passport-score.ts'
import { renderShare, renderSnippets } from './passport-share.ts'

export function createPassportPage(options: ExplorerOptions): ExplorerPage {
  const { store, catalog, rules, api = () => 'open' } = options
  const findParts = createPartStandings(options)
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
      const { passport } = found
      const { levels = [], caps = {}, types } = await rules()
      const standing = await catalog.standing(passport.scores.total)
      const [parts] = (await findParts([passport.scores], signal)) ?? []
      const context = { standing, parts: parts ?? {}, levels, caps }
      const merged = 'id' in ref && ref.id !== passport.id ? ref.id : undefined
      const body = renderLayout({
        site,
        title: `${shortNameOf(passport)}: ${formatFigure(passport.scores.total)}`,
        description: describePage(passport, context),
        share: sharePassport(
          passport,
          describeBest(passport.scores, standing, context.parts),
          levelOf(passport.scores.total, { levels })?.level.name,
        ),
        head: renderProfileMeta(passport, site.origin),
        script: 'passport.js',
        main: await renderMain({
          ...found,
          store,
          context,
          merged,
          origin: site.origin,
          site,
          types,
          api: api(),
        }),
      })
      const page = file('text/html', body, POLICY.explorer)
      return parts ? page : withoutCaching(page)
    },
  }
}

function describePage(passport: FullPassport, { standing, parts }: ScoreContext): string {
  const best = describeBest(passport.scores, standing, parts)
  const score = describeCard(passport)
  return best === '' ? score : `${score}, ${best.replace(/^(Top|Strongest)/, (word) => word.toLowerCase())}`
}

type Main = NonNullable<Awaited<ReturnType<Store['credentials']['find']>>> & {
  store: Store
  context: ScoreContext
  /** The id of a passport that was merged into this one. */
  merged: number | undefined
  origin: string
  site: Site
  types: RuleSetShape['types']
  api: ApiState
}

async function renderMain({
  passport,
  credentials,
  store,
  context,
  merged,
  origin,
  site,
  types,
  api,
}: Main): Promise<Html> {
  const { id, scores } = passport
  const name = nameOf(passport)
  const best = describeHighest(scores, context.standing, context.parts)
  const text = `${shortNameOf(passport)}: ${best || `passport score ${formatFigure(scores.total)}`} on ${site.name}`
  return html`<article class="passport-page">
${renderPerson(passport, name, renderScore(passport, credentials.length, context))}
${merged === undefined ? html`` : html`<p class="soft">Passport ${merged} was merged into this one.</p>`}
${passport.stale ? RECALCULATING : html``}
<div class="columns">
<div>
${renderParts(passport, context)}
${await renderHistory(store.events, passport, credentials)}
${renderCredentials({ id, credentials, scores, types })}
</div>
<div>
${renderShare({ id, card: describeCard(passport), text, origin })}
${renderGrowth(credentials, scores, context.caps)}
${renderDistribution(scores.total, context.standing)}
${renderSocials(passport)}
${renderWallets(passport)}
${renderSnippets(id, origin, api)}
</div>
</div>
</article>`
}

/** The script polls the page until this element is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>This page shows the last known score. <span data-follows hidden>It updates automatically.</span>
<noscript>Reload the page to see the new score.</noscript></p>
</section>`
