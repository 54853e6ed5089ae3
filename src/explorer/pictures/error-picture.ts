import type { RenderedPage } from '../../api/rendered-page.ts'
import { picture } from '../site/files.ts'
import type { Site } from '../site/site.ts'
import { drawErrorBadge, toErrorEndpoint } from './badge.ts'
import { drawErrorCard } from './card-frame.ts'

/** Shown in place of a picture, because an embedding page would otherwise show a broken image. oEmbed has JSON errors. */
export function drawErrorPicture(site: Site, path: string, status: number): RenderedPage | undefined {
  const words = WORDS[status] ?? 'error'
  if (path.startsWith('/oembed')) return undefined
  if (path.endsWith('.json')) return picture('json', JSON.stringify(toErrorEndpoint(words)), status)
  const { markup } = path.startsWith('/card/')
    ? drawErrorCard(site, `Passport ${words}`)
    : drawErrorBadge(words)
  return picture('svg', markup, status)
}

const WORDS: Record<number, string> = {
  404: 'not found',
  429: 'busy',
  503: 'busy',
}
