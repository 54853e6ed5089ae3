import type { ExplorerPage, Rasterize } from '../site/explorer-page.ts'
import { picture } from '../site/files.ts'
import { drawIcon, drawTile } from '../site/icons.ts'

/** Browsers accept a PNG as `favicon.ico`. */
export const createIcons = (rasterize: Rasterize): { path: string; page: ExplorerPage }[] =>
  [
    { path: '/favicon.ico', width: 32, draw: drawIcon },
    { path: '/apple-touch-icon.png', width: 180, draw: drawTile },
  ].map(({ path, width, draw }) => ({
    path,
    page: {
      version: () => '',
      render: async ({ site, signal }) =>
        picture('png', await rasterize(() => draw(site), width, { signal })),
    },
  }))
