import { createByteCache } from '../../core/basics/byte-cache.ts'
import { overloaded } from '../../core/basics/errors.ts'
import { createCaller, createQueue, receiveCalls } from '../../core/basics/thread-calls.ts'
import type { DrawPng } from './rasterizer.ts'

export type Png = Uint8Array<ArrayBuffer>

type Drawing = { svg: string; width: number }

/** A server thread queues at most this many pictures: fewer than are drawn in a minute. An SVG has 5 to 10 KB. */
const LIMITS = { waiting: 320, milliseconds: 60_000 }

export function createRasterizerClient({ waiting, milliseconds } = LIMITS) {
  const { send, connect } = createCaller<Drawing, Png>('The picture thread ended.', waiting)
  const limit = { milliseconds, error: () => overloaded('A picture waited too long.') }
  return {
    connect,
    rasterize: (svg: string, width: number, signal?: AbortSignal): Promise<Png> =>
      send({ svg, width }, { signal, limit }),
  }
}

export type RasterizerClient = ReturnType<typeof createRasterizerClient>

/** Enough for about 250 cards. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Draws the pictures of all clients, one at a time. Caches the PNG of each SVG; a cached one does not wait for others.
 */
export function createRasterizerServer(load: () => Promise<DrawPng>) {
  const cache = createByteCache<Png>(MAX_BYTES)
  const keyOf = ({ svg, width }: Drawing) => `${width} ${svg}`
  let draw: DrawPng | undefined

  const enqueue = createQueue<Drawing, Png>(async (drawing) => {
    const toPng = draw ?? (await load().catch(endThread))
    draw = toPng
    try {
      return cache.getOrAdd(keyOf(drawing), () => {
        const value = toPng(drawing.svg, drawing.width)
        return { value, bytes: value.length }
      })
    } catch (error) {
      // After a trap, the memory of WebAssembly is unreliable.
      if (error instanceof WebAssembly.RuntimeError) return endThread(error)
      throw error
    }
  })

  return {
    connect: (port: MessagePort) =>
      receiveCalls<Drawing, Png>(
        port,
        async (drawing, isCancelled) => cache.find(keyOf(drawing)) ?? enqueue(drawing, isCancelled),
      ),
  }
}

/** Crashes the thread, which is then restarted. The returned promise stays pending: the crash rejects all calls. */
const endThread = (error: unknown) => new Promise<never>(() => void Promise.reject(error))
