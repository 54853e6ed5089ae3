import type { FullPassport } from '../../core/passport/passport.ts'
import { picture } from '../../ui/assets-and-csp.ts'
import { type Html, html } from '../../ui/html.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../ui/page.ts'
import { findPassportWords, STANDING_UNITS } from '../../ui/standings.ts'
import { formatFigure } from '../../ui/text.ts'
import type { Colors, Theme } from '../../ui/tokens.ts'
import { createPicturePage } from './picture-page.ts'
import { colorsOf, drawSvg, round, textWidth } from './svg.ts'

export function createBadge(options: ExplorerOptions): ExplorerPage {
  /** Returns the level or the standing if `show` selects it and the passport has one, or else the score. */
  async function findValue(passport: FullPassport, show: string, request: ExplorerRequest) {
    if (show === 'score') return describeValue(passport)
    request.charge(STANDING_UNITS)
    const { level, top, rank } = await findPassportWords(options, passport, request.signal)
    const values = { level, top: top.replace(' in ', ' ') || rank }
    return values[show as keyof typeof values] || describeValue(passport)
  }

  const page = createPicturePage(options, ['svg', 'json'], async (passport, type, request) => {
    const { query, site } = request
    const { show, theme } = parseOptions(query)
    const value = await findValue(passport, show, request)
    return type === 'json'
      ? picture('json', toEndpoint(value, { color: site.accents.light.slice(1), cacheSeconds: 300 }))
      : picture('svg', drawFlat(passport, value, colorsOf(site, theme), theme).markup)
  })
  const cacheKey: typeof page.cacheKey = async (request) =>
    [await page.cacheKey?.(request), ...Object.values(parseOptions(request.query))].join(' ')
  return { ...page, cacheKey }
}

/** Unknown values get the defaults, because an error would break the embedding page. */
function parseOptions(query: URLSearchParams) {
  const [show, theme] = [query.get('show'), query.get('theme')]
  return {
    show: show === 'level' || show === 'top' ? show : 'score',
    theme: theme === 'dark' ? theme : 'light',
  } as const
}

/** JSON in the schema of shields.io for endpoint badges. shields.io draws errors in its own way. */
const toEndpoint = (message: string, more: { color: string; cacheSeconds?: number; isError?: true }) =>
  JSON.stringify({ schemaVersion: 1, label: LABEL, message, ...more })

const FONT = 'Verdana, DejaVu Sans, Geneva, sans-serif'
const LABEL = 'passport'
const [HEIGHT, SIZE, PADDING] = [20, 11, 7]

/** The backgrounds of the label contrast with light and dark pages. */
const LABEL_BACKGROUND = { light: '#4b4842', dark: '#3a403c' }

function drawFlat(passport: FullPassport, value: string, { accent, accentInk }: Colors, theme: Theme): Html {
  const style = { ink: accentInk, fill: accent, half: LABEL_BACKGROUND[theme] }
  return drawLine(describeBadge(passport, value), value, style)
}

export const drawErrorBadge = (words: string): Html =>
  drawLine(`Passport: ${words}`, words, { ink: '#ffffff', fill: '#77726a', half: LABEL_BACKGROUND.light })

export const toErrorEndpoint = (message: string): string =>
  toEndpoint(message, { color: 'lightgrey', isError: true })

/** `ink` is the colour of the value, and `half` the background of the label. */
type LineStyle = { ink: string; fill: string; half: string }

function drawLine(title: string, text: string, { ink, fill, half }: LineStyle): Html {
  const label = drawText(LABEL, PADDING, false, '#ffffff')
  const labelEnd = round(label.end + PADDING)
  const value = drawText(text, round(labelEnd + PADDING), true, ink)
  const width = round(value.end + PADDING)
  const left = `M4 0H${labelEnd}V${HEIGHT}H4A4 4 0 0 1 0 ${HEIGHT - 4}V4A4 4 0 0 1 4 0Z`
  return drawSvg(
    { width, height: HEIGHT, font: FONT, title },
    html`<rect x="0.5" y="0.5" width="${round(width - 1)}" height="${HEIGHT - 1}" rx="4"
fill="${fill}" stroke="${fill}"/>
<path d="${left}" fill="${half}"/>${label.drawn}${value.drawn}`,
  )
}

/** Sets `textLength`, so that the text has this width in any font. */
function drawText(text: string, x: number, bold: boolean, fill: string) {
  const width = round(textWidth(text, { size: SIZE, bold }))
  const weight = bold && html` font-weight="700"`
  const drawn = html`<text x="${x}" y="14" textLength="${width}" font-size="${SIZE}"${weight}
fill="${fill}">${text}</text>`
  return { drawn, end: x + width }
}

const describeValue = ({ scores, human, stale }: FullPassport): string =>
  `${formatFigure(scores.total)}${stale ? '…' : ''}${human ? ' · human' : ''}`

function describeBadge(passport: FullPassport, value: string): string {
  const { human, stale, scores } = passport
  const shown = value !== describeValue(passport) && value
  const notes = [shown, human && 'human', stale && 'being recalculated'].filter(Boolean)
  return [`Passport score ${formatFigure(scores.total)}`, ...notes].join(', ')
}
