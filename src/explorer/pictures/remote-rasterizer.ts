import { overloaded } from '../../domain/errors.ts'
import type { Awaitable } from '../../store/store.ts'
import { createCaller } from '../../thread-calls.ts'
import type { Png, RasterizeOptions } from '../site/explorer-page.ts'

export type Drawing = { svg: string; width: number; isFirst: boolean }

/** `load` is answered when the picture thread has loaded its fonts. */
export type PictureCall = Drawing | 'load'

/** Pictures of one server thread that wait: about as many as the picture thread draws in ten seconds. SVGs have 5 to 10 KB. */
const LIMITS = { waiting: 160, bytes: 4 * 1024 * 1024, milliseconds: 10_000 }

/** Sends SVGs to the picture thread. The time until it has loaded its fonts is not limited. */
export function createRasterizerClient(limits: Partial<typeof LIMITS> = {}) {
  const most = { ...LIMITS, ...limits }
  const calls = createCaller<PictureCall, Png | undefined>({ ended: 'The picture thread ended.' })
  const limit = {
    milliseconds: most.milliseconds,
    error: () => overloaded('A picture waited too long.'),
  }
  let loaded: Promise<unknown> | undefined
  /** Including those whose SVG is not drawn yet. */
  let pending = 0
  let bytes = 0

  async function send(
    svg: string,
    width: number,
    { signal, isFirst = false }: RasterizeOptions,
  ): Promise<Png> {
    loaded ??= calls.send('load')
    await loaded
    const options = isFirst ? { signal } : { signal, limit }
    return (await calls.send({ svg, width, isFirst }, options)) as Png
  }

  return {
    async rasterize(
      draw: () => Awaitable<string>,
      width: number,
      options: RasterizeOptions = {},
    ): Promise<Png> {
      const isFull = pending >= most.waiting || bytes >= most.bytes
      if (isFull && !options.isFirst) throw overloaded('Too many pictures are being drawn.')
      let size = 0
      pending++
      try {
        const svg = await draw()
        size = svg.length
        bytes += size
        return await send(svg, width, options)
      } finally {
        pending--
        bytes -= size
      }
    },
    connect(port: MessagePort): void {
      loaded = undefined
      calls.connect(port)
    },
  }
}
