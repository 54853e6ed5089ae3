import { notFound } from '../../domain/errors.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { findPeople, parseIds } from '../compare/find-people.ts'
import { listHolders, ruleOf } from '../credentials/credential-types.ts'
import { rosette } from '../design/rosette.ts'
import type { ExplorerOptions, ExplorerPage } from '../explorer-page.ts'
import { formatFigure, formatPeople } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { Site } from '../site/site.ts'
import { drawRosettes, drawText, frame, LEFT, RIGHT } from './card.ts'
import type { DrawCard } from './draw-card.ts'
import { drawableName, drawableText } from './drawable-name.ts'
import { colorsOf, drawName, round } from './svg.ts'
import { fitSize } from './text-width.ts'

/** The card of a comparison: `/card/compare.png?ids=7,42`, with ids only. */
export const createCompareCard = (options: ExplorerOptions, drawPng: DrawCard): ExplorerPage => ({
  version: () => undefined,
  async render(request) {
    const { query, site, signal } = request
    const ids = parseIds(query)
    if (!ids.every((text) => /^\d+$/.test(text))) throw notFound()
    const { people, unknown } = await findPeople(options, ids, signal)
    if (people.length === 0 || unknown.length > 0) throw notFound()
    const { markup } = drawComparison(people, site)
    return drawPng(() => markup, request)
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

/** The card of a credential: `/card/credential/{type}.png`. */
export const createCredentialCard = (options: ExplorerOptions, drawPng: DrawCard): ExplorerPage => ({
  version: async () => (await options.rules()).stamp,
  async render(request) {
    const { params, site, signal } = request
    const [, name] = /^(.{1,200})\.png$/s.exec(params.file ?? '') ?? []
    const type = foldName(name ?? '')
    const rule = ruleOf(await options.rules(), type)
    const { ids, total } = await listHolders(options, type, { limit: 7 }, signal)
    if (total === 0 && !rule) throw notFound()
    const colors = colorsOf(site, 'light')
    const title = drawableText(rule?.name ?? type) || 'Credential'
    const about = [rule?.category, `held by ${formatPeople(total)}`].filter(Boolean).join(', ')
    const { markup } = frame(
      title,
      site,
      html`${drawName(title, { x: LEFT, y: 250, width: RIGHT - LEFT, size: 108, smallest: 54, fill: colors.ink })}
${drawText(LEFT, 320, 40, colors.soft, drawableText(about))}
${drawRosettes(ids)}`,
    )
    return drawPng(() => markup, request)
  },
})
