import type { Credential } from '../domain/credential.ts'
import { notFound, ServiceError } from '../domain/errors.ts'
import type { Explanation } from '../domain/explanation.ts'
import { type FullPassport, type PassportRef, parsePassportRef } from '../domain/passport.ts'
import type { Standing } from '../domain/standing.ts'
import { type Html, html } from './html.ts'
import { renderLayout } from './layout.ts'
import { type ExplorerOptions, file, type PageHandler, POLICY } from './page.ts'
import { renderCredentials } from './passport-credentials.ts'
import { renderExplanation } from './passport-explanation.ts'
import { renderPerson, renderSocials, renderWallets } from './passport-person.ts'
import { renderScore, renderStanding } from './passport-score.ts'
import { renderSnippets } from './passport-snippets.ts'
import { renderSharing } from './sharing.ts'
import { describeRank, formatFigure, nameOf, shortNameOf } from './wording.ts'

/** One passport: who it is, its score, and how that comes about. */
export function createPassportPage({ store, explain }: ExplorerOptions): PageHandler {
  return async ({ path, origin }) => {
    const ref = parsePassportRef(decode(path.split('/')[2] ?? ''))
    const passport = ref && (await store.passports.find(ref))
    if (!passport) throw notFound()
    const [credentials, standing, explanation] = await Promise.all([
      store.credentials.list(passport.id),
      store.passports.standing(passport.scores.total),
      explainIfPossible(explain, passport.id),
    ])
    const shown = { ref, passport, credentials, standing, explanation, origin }
    return file('text/html', renderPassportPage(shown), POLICY)
  }
}

type Shown = {
  /** How the passport was asked for. */
  ref: PassportRef
  passport: FullPassport
  credentials: readonly Credential[]
  standing: Standing
  explanation: Explanation | undefined
  origin: string
}

function renderPassportPage({ ref, passport, credentials, standing, explanation, origin }: Shown): string {
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
${renderExplanation(explanation, passport)}
${renderWallets(passport)}
${renderSocials(passport.socials)}
${renderSnippets(passport.id, origin)}
</article>`
  return renderLayout({
    title: `${name}: ${score}`,
    description: `${name}: passport score ${score}, ${describeRank(standing)}`,
    head: renderSharing({ passport, origin, standing }),
    script: '/passport.js',
    main,
  })
}

/** The script looks for it by its id, and looks again until it is gone. */
const RECALCULATING: Html = html`<section id="recalculating" class="notice">
<h2>This score is being recalculated</h2>
<p>What is shown here is the last score that is known. <span data-follows hidden>The new one appears here by itself.</span>
<noscript>Reload the page to see the new one.</noscript></p>
</section>`

/** Evidence is read from the primary: where that is away, the rest of the page can still be read. */
async function explainIfPossible(explain: ExplorerOptions['explain'], id: number) {
  try {
    return await explain({ id })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unavailable') return undefined
    throw error
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound()
  }
}
