import { notFound } from '../../domain/errors.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { formatFigure } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'
import { rosette } from '../design/rosette.ts'
import { drawableName, drawText, frame, LEFT, RIGHT } from '../pictures/card-frame.ts'
import { colorsOf, drawName, round } from '../pictures/svg.ts'
import { fitSize } from '../pictures/text-width.ts'
import type { CardOptions, ExplorerPage } from '../site/explorer-page.ts'
import type { Site } from '../site/site.ts'
import { findPeople, parseIds } from './find-people.ts'

/** The card of a comparison: `/card/compare.png?ids=7,42`, with ids only. */
export const createCompareCard = (options: CardOptions): ExplorerPage => ({
  async render(request) {
    const { query, site, signal } = request
    const ids = parseIds(query)
    if (!ids.every((text) => /^\d+$/.test(text))) throw notFound()
    const { people, unknown } = await findPeople(options, ids, signal)
    if (people.length === 0 || unknown.length > 0) throw notFound()
    return options.drawCard(request, () => drawComparison(people, site))
  },
})

const GAP = 36

/** A column for each person. */
function drawComparison(people: readonly PassportV3[], site: Site): Html {
  const colors = colorsOf(site, 'light')
  const width = Math.min(480, (RIGHT - LEFT + GAP) / people.length - GAP)
  const diameter = Math.min(252, width)
  const top = 100 + (252 - diameter) / 2
  const columns = people.map((passport, at) => {
    const x = round(LEFT + at * (width + GAP))
    const score = formatFigure(passport.scores.total)
    return html`<svg x="${x}" y="${top}" width="${diameter}" height="${diameter}">${rosette(passport.id)}</svg>
${drawName(drawableName(passport), { x, y: 414, width, size: 46, smallest: 22, fill: colors.ink })}
${drawText(x, 520, fitSize(score, width, 104), colors.accent, score)}`
  })
  return frame('Comparison', site, html`${columns}`)
}
