import type { WireEvent } from '../../../src/core/history/event-schema.ts'
import { owning } from '../owning.ts'
import type { TestStore } from '../store/engines.ts'
import { until } from '../wait-until.ts'
import { makeKey } from './keys.ts'
import { serveTest } from './server.ts'

/** One block of a stream; a comment has no data. */
export type Block = { id: string; event?: string; data?: WireEvent }

type Options = { key: string; query?: string; lastId?: string | undefined; headers?: Record<string, string> }

/** Opens an event stream, and reads it in the background until it ends. */
export async function openEventStream(url: URL | string, { key, query = '', lastId, headers = {} }: Options) {
  const controller = new AbortController()
  const response = await fetch(new URL(`/api/v3/events${query}`, url), {
    headers: {
      Accept: 'text/event-stream',
      'X-API-KEY': key,
      ...headers,
      ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
    },
    signal: controller.signal,
    keepalive: false,
  })
  const blocks: Block[] = []
  const events = () => blocks.flatMap(({ data }) => (data ? [data] : []))
  const ended = response.ok ? readBlocks(response, blocks) : Promise.resolve()
  return {
    response,
    blocks,
    events,
    lastId: () => blocks.at(-1)?.id,
    ended,
    hasEvents: (count: number) => until(() => events().length >= count),
    async close() {
      controller.abort()
      await ended
    },
  }
}

/** A server, and a key to read its events. The end of the block closes the server and the store. */
export async function serveEvents(store: TestStore, options: Parameters<typeof serveTest>[1] = {}) {
  const { id, key, init } = await makeKey(store, 1)
  const server = serveTest(store, options)
  const list = (query = '') => server.get(`/api/v3/events${query}`, init)
  const follow = (query = '', lastId?: string) => openEventStream(server.url, { key, query, lastId })
  return owning({ ...server, store, keyId: id, key, list, follow }, store, server)
}

/** Ignores an incomplete block at the end, because a stream may end at any byte. */
async function readBlocks({ body }: Response, blocks: Block[]): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = parts.pop() ?? ''
      blocks.push(...parts.map(parseBlock))
    }
  } catch {
    // The connection was closed.
  }
}

function parseBlock(text: string): Block {
  const fields = Object.fromEntries(text.split('\n').map((line) => line.split(/: ?(.*)/s, 2)))
  const { id = '', event, data } = fields
  return { id, ...(event !== undefined && { event }), ...(data !== undefined && { data: JSON.parse(data) }) }
}

/** Follows the events as an EventSource does: after a lost connection it continues after the last id. */
export function followEvents(urls: () => URL | string, key: string, query = '') {
  const events: WireEvent[] = []
  let lastId: string | undefined
  let isEnded = false
  let connections = 0
  let current: Awaited<ReturnType<typeof openEventStream>> | undefined

  async function connect(): Promise<void> {
    current = await openEventStream(urls(), { key, query, lastId })
    connections++
    if (isEnded) await current.close()
    await current.ended
    events.push(...current.events())
    lastId = current.lastId() ?? lastId
    current = undefined
  }

  const running = (async () => {
    // The server may be unavailable for a moment.
    while (!isEnded) await connect().catch(() => Bun.sleep(20))
  })()
  return {
    received: () => [...events, ...(current?.events() ?? [])],
    connections: () => connections,
    /** Closes the connection; the follower opens another one. */
    cut: () => current?.close(),
    async end() {
      isEnded = true
      await current?.close()
      await running
    },
  }
}
