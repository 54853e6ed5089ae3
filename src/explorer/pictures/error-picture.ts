import type { RenderedPage } from '../../api/rendered-page.ts'
import type { Awaitable } from '../../store/store.ts'
import type { Site } from '../site/site.ts'
import { drawErrorBadge, toErrorEndpoint } from './badge.ts'
import { drawErrorCard } from './card.ts'
import { picture } from './picture-page.ts'
import type { Rasterize } from './remote-rasterizer.ts'
import { CARD_SIZE } from './social-meta.ts'

/**
 * Shown in place of a picture, because an embedding page would otherwise show a broken image. oEmbed has JSON errors. In place
 * of a PNG it is a PNG, drawn once; an SVG only while the picture thread may be unavailable.
 */
export function createErrorPicture(site: Site, rasterize: Rasterize) {
  const drawn = new Map<string, Uint8Array<ArrayBuffer>>()

  async function drawPng(words: string, status: number): Promise<RenderedPage> {
    const { markup } = drawErrorCard(site, `Passport ${words}`)
    const known = drawn.get(words)
    if (!known && status === 503) return picture('svg', markup, status)
    try {
      const png = known ?? (await rasterize(() => markup, CARD_SIZE.width))
      drawn.set(words, png)
      return picture('png', png, status)
    } catch {
      return picture('svg', markup, status)
    }
  }

  return (path: string, status: number): Awaitable<RenderedPage> | undefined => {
    const words = WORDS[status] ?? 'error'
    if (path.startsWith('/oembed')) return undefined
    if (path.endsWith('.json')) return picture('json', JSON.stringify(toErrorEndpoint(words)), status)
    if (!path.startsWith('/card/')) return picture('svg', drawErrorBadge(words).markup, status)
    if (path.endsWith('.png')) return drawPng(words, status)
    return picture('svg', drawErrorCard(site, `Passport ${words}`).markup, status)
  }
}

const WORDS: Record<number, string> = {
  404: 'not found',
  429: 'busy',
  503: 'busy',
}
