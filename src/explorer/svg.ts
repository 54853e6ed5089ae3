import { notFound } from '../domain/errors.ts'
import { type FullPassport, type PassportRef, parsePassportRef } from '../domain/passport.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { type ExplorerPage, type ExplorerRequest, file, POLICY } from './explorer-page.ts'
import { type Html, html } from './html.ts'
import { isRightToLeft } from './sanitize.ts'
import { SCORE_PARTS } from './score-bar.ts'
import { fitSize, fitText } from './text-width.ts'

/** The colours of the pages by day; a picture does not know what it will stand on, so it brings its own ground. */
export const COLORS = {
  paper: '#faf8f4',
  ink: '#23221f',
  soft: '#66625a',
  line: '#cfc8b9',
  track: '#e9e4d9',
  accent: '#1f6f5c',
  activity: '#b4682a',
  identity: '#2f5f9e',
  skills: '#1f6f5c',
}

type Draw = (passport: FullPassport | undefined, request: ExplorerRequest) => Awaitable<Html>

/**
 * The picture at a path such as `/badge/7.svg`. Browsers show the picture of a 404 too. `no-cache` as for all pages:
 * proxies would keep a picture that has an age after its passport was removed.
 */
export const createSvgPage = (store: Store, draw: Draw): ExplorerPage => ({
  async version({ path }) {
    const ref = parsePicturePath(path)
    return (ref && (await store.v1.findPassport(ref)))?.etag ?? ''
  },
  async render(request) {
    const ref = parsePicturePath(request.path)
    const passport = ref && (await store.passports.find(ref))
    const { markup } = await draw(passport, request)
    return file('image/svg+xml', markup, POLICY.file, passport ? 200 : 404)
  },
})

/** From the path as it was sent: a malformed name is a picture that is missing. */
function parsePicturePath(path: string): PassportRef | undefined {
  const name = path.split('/')[2] ?? ''
  if (!name.endsWith('.svg')) throw notFound()
  try {
    return parsePassportRef(decodeURIComponent(name.slice(0, -'.svg'.length)))
  } catch {
    return undefined
  }
}

type Canvas = { width: number; height: number; font: string; title: string }

export function drawSvg({ width, height, font, title }: Canvas, body: Html): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${font}">
<title>${title}</title>
${body}
</svg>
`
}

/** `smallest` is the size that a name may shrink to before it is cut. */
type Frame = { x: number; y: number; width: number; size: number; smallest: number; fill: string }

/** A name of any script on one line: it begins at the left, and nothing of it is seen outside its frame. */
export function drawName(name: string, { x, y, width, size: largest, smallest, fill }: Frame): Html {
  const shown = fitText(name, width, { size: smallest, bold: true })
  const size = Math.max(smallest, fitSize(shown, width, largest, true))
  // The end of a text that goes from right to left is at its left.
  const side = isRightToLeft(shown) ? html` direction="rtl" text-anchor="end"` : html``
  const baseline = Math.round(size * 1.1)
  return html`<svg x="${x}" y="${y - baseline}" width="${width}" height="${Math.round(size * 1.6)}" overflow="hidden"><text y="${baseline}" font-size="${size}" font-weight="700" fill="${fill}"${side}>${shown}</text></svg>`
}

/** A tick in a circle. */
export function drawHumanMark(x: number, y: number, size: number, fill: string, tick: string): Html {
  return html`<g transform="translate(${x} ${y}) scale(${size / 16})"><circle cx="8" cy="8" r="8" fill="${fill}"/><path d="M4.4 8.3l2.5 2.5 4.7-5.2" fill="none" stroke="${tick}" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round"/></g>`
}

const GAP = 3

/** The three parts of a score side by side, as wide as their shares. */
export function drawScoreParts(
  { scores }: FullPassport,
  x: number,
  y: number,
  width: number,
  height: number,
): Html {
  const parts = SCORE_PARTS.filter((part) => scores[part] > 0)
  const sum = parts.reduce((total, part) => total + scores[part], 0)
  const room = width - height * parts.length - GAP * (parts.length - 1)
  let at = x
  const drawn = parts.map((part) => {
    // Each is a round dot at least.
    const length = round(height + (scores[part] / sum) * room)
    const bar = html`<rect x="${round(at)}" y="${y}" width="${length}" height="${height}" rx="${height / 2}" fill="${COLORS[part]}"/>`
    at += length + GAP
    return bar
  })
  if (parts.length > 0) return html`${drawn}`
  return html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="${COLORS.track}"/>`
}

export const round = (length: number): number => Math.round(length * 10) / 10
