import { createByteCache } from '../../catalog/byte-cache.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Awaitable } from '../../store/store.ts'
import type { DrawPng } from './rasterizer.ts'

/** Draws an SVG as a PNG of this width. `draw` is not called if too many pictures wait. */
export type Rasterize = (draw: () => Awaitable<string>, width: number) => Promise<Uint8Array<ArrayBuffer>>

/** The client waits for the picture until `latest`, in epoch milliseconds. */
type Request = { id: number; svg: string; width: number; latest: number }
type Result = { id: number; png: Uint8Array<ArrayBuffer> } | { id: number; failure: string }

/** Pictures of one server thread that wait for the picture thread: about a second of its time. */
const MAX_WAITING = 16
const TIMEOUT_MILLISECONDS = 10_000

/** Sends SVGs to the picture thread. */
export function createRasterizerClient(port: MessagePort, timeout = TIMEOUT_MILLISECONDS) {
  const waiting = new Map<number, PromiseWithResolvers<Uint8Array<ArrayBuffer>>>()
  let last = 0
  /** Including those whose SVG is not drawn yet. */
  let pending = 0
  let isClosed = false
  port.onmessage = ({ data }: MessageEvent<Result>) => {
    const result = waiting.get(data.id)
    if ('png' in data) result?.resolve(data.png)
    else result?.reject(new Error(data.failure))
  }

  async function send(svg: string, width: number): Promise<Uint8Array<ArrayBuffer>> {
    if (isClosed) throw threadEnded()
    const id = ++last
    const result = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
    waiting.set(id, result)
    port.postMessage({ id, svg, width, latest: Date.now() + timeout } satisfies Request)
    const late = new ServiceError('unavailable', 'The picture thread does not respond.')
    const timer = setTimeout(() => result.reject(late), timeout)
    try {
      return await result.promise
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }

  return {
    async rasterize(draw: () => Awaitable<string>, width: number): ReturnType<Rasterize> {
      if (pending >= MAX_WAITING) throw new ServiceError('overloaded', 'Too many pictures are being drawn.')
      pending++
      try {
        return await send(await draw(), width)
      } finally {
        pending--
      }
    },
    /** Rejects pending requests, because the picture thread has ended. */
    close(): void {
      isClosed = true
      for (const { reject } of waiting.values()) reject(threadEnded())
      port.close()
    },
  }
}

const threadEnded = () => new ServiceError('unavailable', 'The picture thread ended.')

export type RasterizerClient = ReturnType<typeof createRasterizerClient>

const MAX_BYTES = 32 * 1024 * 1024

/** Draws the pictures of all clients, one at a time. The same SVG is drawn once. */
export function createRasterizerServer(load: () => Promise<DrawPng>) {
  const cache = createByteCache<Uint8Array<ArrayBuffer>>(MAX_BYTES)
  let loaded: Promise<DrawPng> | undefined

  async function respond(port: MessagePort, { id, svg, width, latest }: Request): Promise<void> {
    loaded ??= load()
    const draw = await loaded
    if (Date.now() > latest) return
    const send = (result: Result) => port.postMessage(result)
    try {
      const png = cache.getOrAdd(`${width} ${svg}`, () => {
        const value = draw(svg, width)
        return { value, bytes: value.length }
      })
      send({ id, png })
    } catch (error) {
      // After a trap, the memory of WebAssembly is unreliable: the thread ends and is restarted.
      if (error instanceof WebAssembly.RuntimeError) throw error
      send({ id, failure: String(error) })
    }
  }

  return {
    connect(port: MessagePort): void {
      port.onmessage = ({ data }: MessageEvent<Request>) => void respond(port, data)
    },
  }
}
