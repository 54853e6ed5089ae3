import { notFound } from '../../domain/errors.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { formatPeople } from '../design/format.ts'
import type { DrawCard } from '../pictures/card-drawer.ts'
import { drawTitleCard } from '../pictures/card-frame.ts'
import { drawableText } from '../pictures/drawable-name.ts'
import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page.ts'
import { listHolders, ruleOf } from './credential-types.ts'

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
    const title = drawableText(rule?.name ?? type) || 'Credential'
    const about = [rule?.category, `held by ${formatPeople(total)}`].filter(Boolean).join(', ')
    const { markup } = drawTitleCard(site, { title, words: drawableText(about), ids, size: 108 })
    return drawPng(() => markup, request)
  },
})
