import { createLiveIndex } from '../catalog/facets/live-index.ts'
import { createSearchServer } from '../catalog/remote-search.ts'
import type { Config } from '../config.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { FromSearch, ToSearch } from './messages.ts'

declare const self: Worker

let config: Config
let opened: Promise<Store> | undefined
let index: ReturnType<typeof createLiveIndex> | undefined

const server = createSearchServer(async (snapshot, request, cursor) => {
  index ??= createLiveIndex(await openOnce())
  return index.find(snapshot, request, cursor)
})

self.onmessage = ({ data }: MessageEvent<ToSearch>) => {
  if (data.kind === 'start') config = data.config
  else if (data.kind === 'snapshot') server.update(data.snapshot)
  else if (data.kind === 'connect') server.connect(data.port)
  else void stop()
}

/** Keyword searches need no store. After a failure, the next request tries again. */
function openOnce(): Promise<Store> {
  opened ??= openStore(config.database, { ...SERVE_TIMEOUT, migrate: false }).catch((error) => {
    opened = undefined
    throw error
  })
  return opened
}

async function stop(): Promise<void> {
  // If the store could not be opened, there is nothing to close.
  const store = await opened?.catch(() => undefined)
  await store?.close()
  postMessage({ kind: 'stopped' } satisfies FromSearch)
}
