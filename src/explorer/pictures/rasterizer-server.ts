import { createByteCache } from '../../catalog/byte-cache.ts'
import type { DrawPng } from './rasterizer.ts'
import type { Drawing, Png, Request, Result } from './remote-rasterizer.ts'

/** About 250 cards. */
const MAX_BYTES = 32 * 1024 * 1024

type Queued = Drawing & { port: MessagePort }

/** Draws the pictures of all clients, one at a time. The same SVG is drawn once; a cached picture never waits. */
export function createRasterizerServer(load: () => Promise<DrawPng>) {
  const cache = createByteCache<Png>(MAX_BYTES)
  const ports: MessagePort[] = []
  let queue = new Map<string, Queued>()
  let loaded: DrawPng | undefined
  let isRunning = false
  let clients = 0

  async function run(): Promise<void> {
    isRunning = true
    loaded ??= await load()
    for (const port of ports.splice(0)) port.postMessage({ ready: true } satisfies Result)
    while (queue.size > 0) {
      // Pending messages are processed first: they may cancel a picture.
      await new Promise(setImmediate)
      const [name = ''] = queue.keys()
      const picture = queue.get(name)
      queue.delete(name)
      if (picture) respond(loaded, picture)
    }
    isRunning = false
  }

  function respond(draw: DrawPng, { port, id, svg, width }: Queued): void {
    const send = (result: Result) => port.postMessage(result)
    try {
      const png = cache.getOrAdd(keyOf(svg, width), () => {
        const value = draw(svg, width)
        return { value, bytes: value.length }
      })
      send({ id, png })
    } catch (error) {
      // After a trap, the memory of WebAssembly is unreliable: the thread ends and is restarted.
      if (error instanceof WebAssembly.RuntimeError) throw error
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      send({ id, failure: { message, stack } })
    }
  }

  function add(name: string, picture: Queued): void {
    const png = cache.find(keyOf(picture.svg, picture.width))
    if (png) {
      picture.port.postMessage({ id: picture.id, png } satisfies Result)
      return
    }
    if (picture.isFirst) queue = new Map([[name, picture], ...queue])
    else queue.set(name, picture)
    if (!isRunning) void run()
  }

  return {
    connect(port: MessagePort): void {
      const client = ++clients
      if (loaded) port.postMessage({ ready: true } satisfies Result)
      else ports.push(port)
      port.onmessage = ({ data }: MessageEvent<Request>) => {
        if ('cancel' in data) queue.delete(`${client} ${data.cancel}`)
        else add(`${client} ${data.id}`, { ...data, port })
      }
    },
  }
}

const keyOf = (svg: string, width: number) => `${width} ${svg}`
