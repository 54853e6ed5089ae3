import { loadRasterizer } from '../../../src/features/pictures/rasterizer.ts'
import type { Rasterize } from '../../support/explorer/explorer-server.ts'

let rasterizer: ReturnType<typeof loadRasterizer> | undefined

/** Draws a card in the thread of the test. */
export const drawPng: Rasterize = async (svg, width) => {
  rasterizer ??= loadRasterizer()
  return (await rasterizer)(svg, width)
}
