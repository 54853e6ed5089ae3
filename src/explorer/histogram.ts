import { toCoordinate } from './format.ts'
import { type Html, html } from './html.ts'

const [WIDTH, HEIGHT] = [400, 100]

/** The bars have a minimum height, so that rare values are visible. */
const LEAST_HEIGHT = 3

type Options = {
  /** The title of a bar. */
  describe?: (count: number, at: number) => string
  /** A bar to highlight. */
  own?: number
  /** The place of a line, in bars from the left. */
  line?: number
}

/** A histogram that the style sheet stretches. Screen readers get its caption only. */
export function drawHistogram(counts: readonly number[], { describe, own, line }: Options): Html {
  const width = WIDTH / counts.length
  const scale = HEIGHT / Math.max(...counts, 1)
  const bars = counts.flatMap((count, at) => {
    if (count === 0) return []
    const height = toCoordinate(Math.max(LEAST_HEIGHT, count * scale))
    const title = describe ? html`<title>${describe(count, at)}</title>` : html``
    return html`<rect${at === own ? html` class="own"` : html``} x="${toCoordinate(at * width)}" y="${toCoordinate(HEIGHT - height)}" width="${toCoordinate(0.85 * width)}" height="${height}">${title}</rect>`
  })
  const x = toCoordinate(Math.min(WIDTH, (line ?? 0) * width))
  return html`<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars}${line === undefined ? html`` : html`<path d="M${x} 0V${HEIGHT}"/>`}</svg>`
}
