import { notFound } from '../../core/basics/errors.ts'
import type { RenderedPage } from '../../core/http/rendered-page.ts'
import { type FullPassport, parsePassportRef } from '../../core/passport/passport.ts'
import { findFullPassport, findVersion, type Reads } from '../../core/reads/passports.ts'
import type { PictureType } from '../../ui/assets-and-csp.ts'
import { picture } from '../../ui/assets-and-csp.ts'
import type { ExplorerPage, ExplorerRequest } from '../../ui/page.ts'
import { drawIcon } from '../../ui/site.ts'
import type { RasterizerClient } from './rasterizer-calls.ts'

type Render = (passport: FullPassport, type: PictureType, request: ExplorerRequest) => Promise<RenderedPage>

/** The picture of a passport at a path such as `/badge/7.svg`. Errors are pictures, too. */
export const createPicturePage = (
  reads: Reads,
  types: readonly PictureType[],
  render: Render,
): ExplorerPage => ({
  async cacheKey({ path }) {
    const { ref } = parsePicturePath(path, types)
    return (ref && (await findVersion(reads, ref))) ?? ''
  },
  async render(request) {
    const { ref, type } = parsePicturePath(request.path, types)
    const passport = ref && (await findFullPassport(reads, ref))
    if (!passport) throw notFound()
    return render(passport, type, request)
  },
})

/** Reads the path before decoding: a malformed escape sequence is no passport. */
function parsePicturePath(path: string, types: readonly PictureType[]) {
  const name = path.split('/')[2] ?? ''
  const type = types.find((type) => name.endsWith(`.${type}`))
  if (!type) throw notFound()
  try {
    return { type, ref: parsePassportRef(decodeURIComponent(name.slice(0, -type.length - 1))) }
  } catch {
    throw notFound()
  }
}

/** Browsers accept a PNG as `favicon.ico`. */
export const createIcon = ({ rasterize }: Pick<RasterizerClient, 'rasterize'>): ExplorerPage => ({
  cacheKey: () => '',
  render: async ({ site, signal }) => picture('png', await rasterize(drawIcon(site), 32, signal)),
})
