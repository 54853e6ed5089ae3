import { createWindowMemory } from '../../src/core/basics/fixed-window.ts'
import { createLog } from '../../src/core/basics/log.ts'
import { createLocalIndex } from '../../src/core/cli/local-index.ts'
import { readConfig } from '../../src/core/config/config.ts'
import { openStore } from '../../src/core/store/open.ts'
import type { Store } from '../../src/core/store/store.ts'
import { listen } from '../../src/serve/request-listener.ts'
import { SERVING } from './program/serving.ts'

const NO_PICTURES = {
  rasterize: () => Promise.reject(new Error('This node draws no pictures.')),
  connect: () => undefined,
}

type Options = {
  /** Wraps the store of the node. */
  adapt?: (store: Store) => Store
  onError?: (error: unknown) => void
}

/** A node without threads, in this process. It serves requests with the settings of `serve`, but does no background work. */
export async function listenHere(env: Record<string, string>, options: Options = {}) {
  const { adapt = (store) => store, onError = () => undefined } = options
  const config = readConfig({ PORT: '0', ...env }, { demo: false })
  const store = await openStore(config.database)
  const lines: string[] = []
  const { server, drain } = await listen({
    config,
    serving: SERVING,
    store: adapt(store),
    index: createLocalIndex(store),
    now: Date.now,
    log: createLog({ write: (line) => void lines.push(line), json: true, now: Date.now }),
    windows: createWindowMemory(),
    onError,
    clients: { 'picture-thread': NO_PICTURES },
  })
  return {
    url: server().url.origin,
    /** The entries of the log, as JSON. */
    lines,
    drain,
    async [Symbol.asyncDispose]() {
      await server().stop(true)
      // Not awaited, because `drain` waits for a second if the server was just used.
      void drain()
      await store.database.close()
    },
  }
}
