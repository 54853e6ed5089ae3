import { createFixedWindow } from '../../src/api/rate-limit.ts'
import { saveSentRecords } from '../../src/api/v3/save-sent-records.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/log.ts'
import { findRules } from '../../src/scoring/stamped-rule-set.ts'
import { listen } from '../../src/serve/request-listener.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'

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
    store: adapt(store),
    catalog: createCatalog(store),
    now: Date.now,
    log: createLog({ write: (line) => void lines.push(line), json: true, now: Date.now }),
    counter: createFixedWindow(Date.now),
    onError,
    saveRecords: async (sent) => saveSentRecords(store, await findRules(store), sent),
    rasterize: () => Promise.reject(new Error('This node draws no pictures.')),
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
      await store.close()
    },
  }
}
