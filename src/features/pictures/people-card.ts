import type { FullPassport } from '../../core/passport/passport.ts'
import { levelOf, type RuleSetShape } from '../../core/passport/rules/rule-set.ts'
import { type ScorePart, segmentsOf } from '../../ui/charts.ts'
import { type Html, html } from '../../ui/html.ts'
import { rosette } from '../../ui/rosette.ts'
import type { Site } from '../../ui/site.ts'
import { formatDay, formatFigure } from '../../ui/text.ts'
import { coverOf, onCover } from '../../ui/tokens.ts'
import { drawText, frame, LEFT, RIGHT, SERIF } from './card-frame.ts'
import { drawLegend, drawTitleCard, PART_LABELS } from './cards.ts'
import { drawableName, drawableText } from './drawable-text.ts'
import { drawName, drawScoreParts, fitSize, round, textWidth } from './svg.ts'

/** `words` is the line below the title. A bar is full at `scale`, or at the highest score. */
type PeopleCard = { title: string; words: string; people: Person[]; rules: RuleSetShape; scale?: number }

/** `figure` replaces the score, and `note` replaces the level. */
type Person = FullPassport & { figure?: string | undefined; note?: string | undefined }

export function describeTime({ owner = '', fonts }: Site, time: number, figures = 'Passport scores') {
  const runBy = drawableText(owner, fonts)
  return `${figures}, ${formatDay(time)}${runBy === '' ? '' : `. Run by ${runBy}`}`
}

/** The top and the height of all rows, and the space between score and bar. */
const [TOP, HEIGHT, GAP] = [200, 300, 36]

/** Draws a row for each of at most four people, in the colour of the site or of a part of the score. Names have the same size, scores too, and all bars have the same scale. */
export function drawPeople(site: Site, card: PeopleCard, part?: ScorePart): Html {
  const { title, words, people, rules, scale = 1 } = card
  if (people.length === 0) return drawTitleCard(site, { title, words })
  const colors = onCover(coverOf(site.accents, part))
  const height = HEIGHT / Math.max(2, people.length)
  const names = people.map((passport) => drawableName(passport, site.fonts))
  const scores = people.map(({ figure, scores }) => figure ?? formatFigure(scores.total))
  const levels = people.map(({ note, scores }) => note ?? levelOf(scores.total, rules)?.level.name ?? '')
  const highest = Math.max(scale, ...people.map((passport) => passport.scores.total))
  const x = round(LEFT + height + 8)
  const scoreSize = fitAll(scores, 260, height * 0.62)
  const end = RIGHT - GAP - widest(scores, scoreSize)
  const width = end - x - widest(levels, 40) - 24
  const size = fitAll(names, width / SERIF, Math.min(64, height / 2))
  const rows = people.map((passport, at) => {
    const y = TOP + at * height
    const baseline = round(y + height * 0.4)
    const length = (Math.max(0, passport.scores.total) / highest) * (end - x)
    const box = { x, y: round(y + height * 0.58), width: length, height: round(height * 0.2) }
    return html`<svg x="${LEFT}" y="${round(y)}" width="${round(height - 18)}" height="${round(height - 18)}">${rosette(passport.id)}</svg>
${drawName(names[at] ?? '', { x, y: baseline, width, size, smallest: 40, fill: colors.ink })}
<rect x="${x}" y="${box.y}" width="${round(end - x)}" height="${box.height}" rx="${box.height / 4}" fill="${colors.track}"/>
${drawScoreParts(passport.scores, colors, box)}
<g text-anchor="end">${drawText(round(end), baseline, 40, colors.soft, levels[at] ?? '')}${drawText(RIGHT, round(y + height * 0.68), scoreSize, scores[at]?.startsWith('\u2212') ? colors.bad : colors.accent, scores[at] ?? '')}</g>`
  })
  const drawn = people.flatMap(({ scores }) => segmentsOf(scores)).map(({ name }) => name)
  const labels = PART_LABELS.filter(([name]) => drawn.includes(name))
  return frame(
    title,
    site,
    colors,
    html`${drawTitle(title, colors.ink)}
${drawName(words, { x: LEFT, y: 166, width: RIGHT - LEFT, size: 36, smallest: 36, fill: colors.soft })}
${rows}${drawLegend(labels, colors, { y: 542, size: 36 })}`,
  )
}

/** Draws a title on one line or, in a smaller size, on two. */
function drawTitle(title: string, fill: string): Html {
  const [words, width] = [title.split(' '), RIGHT - LEFT]
  const fits = (_: string, at: number) => fitSize(words.slice(0, at + 1).join(' '), width, 60) >= 42
  const end = Math.max(1, words.findLastIndex(fits) + 1)
  const [y, size] = end === words.length ? [108, 58] : [78, 42]
  const lines = [words.slice(0, end), words.slice(end)].map((line) => line.join(' ')).filter(Boolean)
  return html`${lines.map((line, at) => drawName(line, { x: LEFT, y: y + 45 * at, width, size, smallest: 42, fill }))}`
}

const widest = (texts: readonly string[], size: number) =>
  SERIF * Math.max(...texts.map((text) => textWidth(text, { size })))

const fitAll = (texts: readonly string[], width: number, largest: number) =>
  Math.max(40, Math.min(...texts.map((text) => fitSize(text, width, Math.floor(largest)))))
