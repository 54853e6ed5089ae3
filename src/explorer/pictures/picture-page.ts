import type { RenderedPage } from '../../api/rendered-page.ts'
import { notFound } from '../../domain/errors.ts'
import { type FullPassport, type PassportRef, parsePassportRef } from '../../domain/passport.ts'
import type { Store } from '../../store/store.ts'
import type { PictureType } from '../site/assets-and-csp.ts'
import { picture } from '../site/assets-and-csp.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../site/explorer-page-types.ts'
import { drawIcon, drawTile } from '../site/site.ts'

type Render = (passport: FullPassport, type: PictureType, request: ExplorerRequest) => Promise<RenderedPage>

/** The picture of a passport at a path such as `/badge/7.svg`. Errors are pictures, too. */
export const createPicturePage = (
  store: Store,
  types: readonly PictureType[],
  render: Render,
): ExplorerPage => ({
  async cacheKey({ path }) {
    const { ref } = parsePicturePath(path, types)
    return (ref && (await store.v1.findPassport(ref)))?.etag ?? ''
  },
  async render(request) {
    const { ref, type } = parsePicturePath(request.path, types)
    const passport = ref && (await store.passports.find(ref))
    if (!passport) throw notFound()
    return render(passport, type, request)
  },
})

/** Reads the path before decoding, so that a malformed name responds with 404. */
function parsePicturePath(path: string, types: readonly PictureType[]) {
  const name = path.split('/')[2] ?? ''
  const type = types.find((type) => name.endsWith(`.${type}`))
  if (!type) throw notFound()
  return { type, ref: parseEncodedRef(name.slice(0, -type.length - 1)) }
}

/** Also returns `undefined` for a malformed escape sequence. */
export function parseEncodedRef(text: string): PassportRef | undefined {
  try {
    return parsePassportRef(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

const createPng =
  (draw: typeof drawIcon, width: number) =>
  ({ rasterize }: ExplorerOptions): ExplorerPage => ({
    cacheKey: () => '',
    render: async ({ site, signal }) => picture('png', await rasterize(draw(site), width, signal)),
  })

/** Browsers accept a PNG as `favicon.ico`. */
export const createIcon = createPng(drawIcon, 32)

export const createTouchIcon = createPng(drawTile, 180)
