import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page.ts'
import { picture } from '../site/files.ts'
import { drawIcon, drawTile } from '../site/icons.ts'

const createPng =
  (draw: typeof drawIcon, width: number) =>
  ({ rasterize }: ExplorerOptions): ExplorerPage => ({
    version: () => '',
    render: async ({ site, signal }) => picture('png', await rasterize(draw(site), width, signal)),
  })

/** Browsers accept a PNG as `favicon.ico`. */
export const createIcon = createPng(drawIcon, 32)

export const createTouchIcon = createPng(drawTile, 180)
