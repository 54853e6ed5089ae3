import { createByteCache } from '../../catalog/byte-cache.ts'
import { createQueue, receiveCalls } from '../../thread-calls.ts'
import type { Png } from '../site/explorer-page.ts'
import type { DrawPng } from './rasterizer.ts'
import type { Drawing } from './remote-rasterizer.ts'

/** About 250 cards. */
const MAX_BYTES = 32 * 1024 * 1024

/** Draws the pictures of all clients, one at a time. The same SVG is drawn once. */
export function createRasterizerServer(load: () => Promise<DrawPng>) {
  const cache = createByteCache<Png>(MAX_BYTES)
  let draw: DrawPng | undefined

  const enqueue = createQueue<Drawing, Png>(async ({ svg, width }) => {
    draw ??= await load()
    const drawPng = draw
    try {
      return cache.getOrAdd(`${width} ${svg}`, () => {
        const value = drawPng(svg, width)
        return { value, bytes: value.length }
      })
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error
      // After a trap, the memory of WebAssembly is unreliable: the thread ends and is restarted, which rejects the call.
      reportError(error)
      return new Promise<never>(() => undefined)
    }
  })

  return { connect: (port: MessagePort) => receiveCalls<Drawing, Png>(port, enqueue) }
}
