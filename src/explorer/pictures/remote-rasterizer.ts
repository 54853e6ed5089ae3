import { ClientGone, overloaded, ServiceError } from '../../domain/errors.ts'
import type { Awaitable } from '../../store/store.ts'

export type Png = Uint8Array<ArrayBuffer>

/** `isFirst`: the picture is drawn before all others, and waits without a limit. At most one such picture waits. */
type Options = { signal?: AbortSignal | undefined; isFirst?: boolean }

/** Draws an SVG as a PNG of this width. `draw` is not called if too many pictures wait. */
export type Rasterize = (draw: () => Awaitable<string>, width: number, options?: Options) => Promise<Png>

export type Drawing = { id: number; svg: string; width: number; isFirst: boolean }
export type Request = Drawing | { cancel: number }
type Failure = { message: string; stack: string | undefined }
export type Result = { ready: true } | { id: number; png: Png } | { id: number; failure: Failure }

/** Pictures of one server thread that wait: about as many as the picture thread draws in ten seconds. SVGs have 5 to 10 KB. */
const LIMITS = { waiting: 160, bytes: 4 * 1024 * 1024, milliseconds: 10_000 }

type Waiting = { resolve: (png: Png) => void; reject: (error: Error) => void; startTimer: () => void }

/** Sends SVGs to the picture thread. The time until it has loaded its fonts is not limited. */
export function createRasterizerClient(port: MessagePort, limits: Partial<typeof LIMITS> = {}) {
  const most = { ...LIMITS, ...limits }
  const waiting = new Map<number, Waiting>()
  let last = 0
  /** Including those whose SVG is not drawn yet. */
  let pending = 0
  let bytes = 0
  let isReady = false
  let isClosed = false
  port.onmessage = ({ data }: MessageEvent<Result>) => {
    if ('ready' in data) {
      isReady = true
      for (const { startTimer } of waiting.values()) startTimer()
    } else if ('png' in data) waiting.get(data.id)?.resolve(data.png)
    else waiting.get(data.id)?.reject(toError(data.failure))
  }

  async function send(svg: string, width: number, { signal, isFirst = false }: Options): Promise<Png> {
    if (isClosed) throw threadEnded()
    if (signal?.aborted) throw new ClientGone()
    const id = ++last
    const { promise, resolve, reject } = Promise.withResolvers<Png>()
    const cancel = (error: Error) => {
      port.postMessage({ cancel: id } satisfies Request)
      reject(error)
    }
    let timer: Timer | undefined
    const startTimer = () => {
      const late = () => cancel(overloaded('A picture waited too long.'))
      if (!isFirst) timer = setTimeout(late, most.milliseconds)
    }
    waiting.set(id, { resolve, reject, startTimer })
    if (isReady) startTimer()
    signal?.addEventListener('abort', () => cancel(new ClientGone()))
    port.postMessage({ id, svg, width, isFirst } satisfies Request)
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  return {
    async rasterize(draw: () => Awaitable<string>, width: number, options: Options = {}): Promise<Png> {
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
    /** Rejects pending requests, because the picture thread has ended. */
    close(): void {
      isClosed = true
      for (const { reject } of waiting.values()) reject(threadEnded())
      port.close()
    },
  }
}

const threadEnded = () => new ServiceError('unavailable', 'The picture thread ended.')
const toError = ({ message, stack }: Failure) => Object.assign(new Error(message), { stack })

export type RasterizerClient = ReturnType<typeof createRasterizerClient>
