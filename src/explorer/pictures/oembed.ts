import { notFound, ServiceError } from '../../domain/errors.ts'
import { quote } from '../../domain/text/quote.ts'
import { picture } from '../site/assets-and-csp.ts'
import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page-types.ts'
import { CARD_SIZE, describeCard } from '../site/layout-and-link-previews.ts'
import { parseEncodedRef } from './picture-page.ts'

/** oEmbed: the card of a passport as a photo, for sites that embed links. */
export const createOembed = ({ store }: ExplorerOptions): ExplorerPage => ({
  async render({ query, site: { name, origin: base } }) {
    const format = query.get('format') ?? 'json'
    if (format !== 'json')
      throw new ServiceError('invalid_request', `format must be json, got ${quote(format)}`)
    const ref = parseOwnUrl(query.get('url') ?? '', base)
    const passport = ref ? await store.passports.find(ref) : undefined
    if (!passport) throw notFound()
    const body = {
      version: '1.0',
      type: 'photo',
      title: describeCard(passport),
      url: `${base}/card/${passport.id}.png`,
      ...fit(parseLength(query.get('maxwidth')), parseLength(query.get('maxheight'))),
      author_url: `${base}/passports/${passport.id}`,
      provider_name: name,
      provider_url: base,
      cache_age: 300,
    }
    return picture('json', JSON.stringify(body))
  },
})

/** Accepts only URLs of passport pages of this service. */
function parseOwnUrl(text: string, base: string) {
  const url = URL.parse(text)
  const [, name] = /^\/passports\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? []
  return url?.origin === base && name !== undefined ? parseEncodedRef(name) : undefined
}

const parseLength = (text: string | null) =>
  text !== null && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY

/** Returns the largest size of the card within these limits. */
function fit(width: number, height: number) {
  const scale = Math.min(1, width / CARD_SIZE.width, height / CARD_SIZE.height)
  const toLength = (length: number) => Math.max(1, Math.floor(length * scale))
  return { width: toLength(CARD_SIZE.width), height: toLength(CARD_SIZE.height) }
}
