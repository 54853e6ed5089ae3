import type { RenderedPage } from '../../api/rendered-page.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Awaitable } from '../../store/store.ts'
import type { ExplorerOptions, ExplorerRequest, Png } from '../site/explorer-page.ts'
import { picture, withoutCaching } from '../site/files.ts'
import { CARD_SIZE } from '../site/social-meta.ts'
import { drawSiteCard } from './card-frame.ts'

/** With these units, the limit of an address is about as many cards as the picture thread draws in the window. */
const PNG_UNITS = 25

export type DrawCard = ReturnType<typeof createCardDrawer>

/**
 * Draws cards as PNG. If a card cannot be drawn in time, the response is the card of the site: a crawler asks once, and discards
 * an error.
 */
export function createCardDrawer({ rasterize, site, onError }: ExplorerOptions) {
  let spare: Promise<Png> | undefined

  /** Drawn once, when it is needed. */
  function drawSpare(): Promise<Png> {
    const draw = () => drawSiteCard(site, 'People, ranked by score').markup
    spare ??= rasterize(draw, CARD_SIZE.width, { isFirst: true }).catch((error) => {
      spare = undefined
      throw error
    })
    return spare
  }

  return async (draw: () => Awaitable<string>, request: ExplorerRequest): Promise<RenderedPage> => {
    await request.charge(PNG_UNITS)
    try {
      return picture('png', await rasterize(draw, CARD_SIZE.width, { signal: request.signal }))
    } catch (error) {
      if (!isBusy(error)) throw error
      onError(error)
      return withoutCaching(picture('png', await drawSpare()))
    }
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof ServiceError && (error.code === 'overloaded' || error.code === 'unavailable')
