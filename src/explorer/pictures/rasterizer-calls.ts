import { createByteCache } from '../../catalog/byte-cache.ts'
import { overloaded } from '../../domain/errors.ts'
import { createCaller, type Received, receiveCalls, takeFirst } from '../../thread-calls.ts'
import type { Png } from '../site/explorer-page.ts'
import type { DrawPng } from './rasterizer.ts'

export type Drawing = { svg: string; width: number }

/** Pictures of one server thread that wait: about as many as the picture thread draws in ten seconds. SVGs have 5 to 10 KB. */
const LIMITS = { waiting: 160, milliseconds: 10_000 }

/** Sends SVGs to the picture thread. */
export function createRasterizerClient({ waiting, milliseconds } = LIMITS) {
  const ended = 'The picture thread ended.'
  const { send, connect } = createCaller<Drawing, Png>({ ended, mostWaiting: waiting })
  const limit = { milliseconds, error: () => overloaded('A picture waited too long.') }
  return {
    connect,
    rasterize: (svg: string, width: number, signal?: AbortSignal): Promise<Png> =>
      send({ svg, width }, { signal, limit }),
  }
}

/** About 250 cards. */
const MAX_BYTES = 32 * 1024 * 1024

type Queued = Received<Drawing, Png>

/** Draws the pictures of all clients, one at a time. The same SVG is drawn once. */
export function createRasterizerServer(load: () => Promise<DrawPng>) {
  const cache = createByteCache<Png>(MAX_BYTES)
  const queue: Queued[] = []
  let draw: DrawPng | undefined
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    draw ??= await load()
    while (queue.length > 0) {
      // Pending messages are processed first: they may cancel a picture.
      await new Promise(setImmediate)
      const picture = takeFirst(queue)
      if (picture) respond(draw, picture)
    }
    isRunning = false
  }

  function respond(draw: DrawPng, { call, answer, fail }: Queued): void {
    try {
      const png = cache.getOrAdd(`${call.width} ${call.svg}`, () => {
        const value = draw(call.svg, call.width)
        return { value, bytes: value.length }
      })
      answer(png)
    } catch (error) {
      // After a trap, the memory of WebAssembly is unreliable: the thread ends and is restarted.
      if (error instanceof WebAssembly.RuntimeError) throw error
      fail(error)
    }
  }

  return {
    connect: (port: MessagePort) =>
      receiveCalls<Drawing, Png>(port, (picture) => {
        queue.push(picture)
        if (!isRunning) void run()
      }),
  }
}
