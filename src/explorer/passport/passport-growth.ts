import { type Caps, type Credential, roundScore } from '../../domain/credential.ts'
import type { Scores } from '../../domain/passport.ts'
import { formatFigure } from '../format.ts'
import { type Html, html } from '../html.ts'
import { shortWord } from '../sanitize.ts'
import { CATEGORIES, partOf, SCORE_PARTS } from '../score-bar.ts'
import { linkToType, MAX_NAME_LENGTH, renderProgress } from './credential-rows.ts'

const MOST = 5

/** The credentials with the most points left. Categories at their cap cannot raise the score. */
export function renderGrowth(credentials: readonly Credential[], scores: Scores, caps: Caps): Html {
  const open = new Set(
    SCORE_PARTS.filter((part) => scores[part] < (caps[CATEGORIES[part]] ?? Number.POSITIVE_INFINITY)),
  )
  const gaps = credentials
    .flatMap((credential) => {
      const part = partOf(credential.category)
      const left = roundScore(credential.maxScore - credential.score)
      return part && open.has(part) && left > 0 ? [{ credential, part, left }] : []
    })
    .sort((one, other) => other.left - one.left)
    .slice(0, MOST)
  if (gaps.length === 0) return html``
  return html`<section id="growth">
<h2>What would raise the score</h2>
<ul class="rows gaps">${gaps.map(
    ({ credential: { type, name, score, maxScore }, part, left }) =>
      html`<li class="${part}">${{ markup: linkToType(type, shortWord(name, MAX_NAME_LENGTH)) }} <span>${formatFigure(score)} of ${formatFigure(maxScore)}</span> ${renderProgress(score, maxScore)} <span class="soft">up to ${formatFigure(left)} more</span></li>`,
  )}</ul>
</section>`
}
