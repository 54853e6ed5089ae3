import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { RequestSummary } from '../../src/api/request.ts'
import { createLiveIndex } from '../../src/catalog/facets/live-index.ts'
import { createSearchClient, createSearchServer } from '../../src/catalog/remote-search.ts'
import { createSharedCatalog } from '../../src/catalog/shared-catalog.ts'
import { buildSnapshot } from '../../src/catalog/snapshot.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { until } from '../support/processes.ts'
import { saveRecords } from '../support/store/engines.ts'
import { named } from '../support/store/records.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A catalog with a search thread, as in the service. */
async function searchApart(store: Store) {
  const snapshot = await buildSnapshot(store.listing)
  const catalog = createSharedCatalog()
  const searches = createSearchServer(createLiveIndex(store).find)
  const { port1, port2 } = new MessageChannel()
  catalog.update(snapshot)
  searches.update(snapshot)
  searches.connect(port1)
  catalog.searchWith(createSearchClient(port2))
  return { ...catalog, [Symbol.dispose]: () => port1.close() }
}

test.each(['/api/v1/passports?keyword=', '/?q='])(
  'searches at %s of disconnected clients end early, are logged as 499, and do not affect other clients',
  async (target) => {
    using folder = tempFolder()
    const store = openSqlite(join(folder.path, 'x.db'))
    await saveRecords(
      store,
      Array.from({ length: 1000 }, (_, id) => named(id, `${'ab'.repeat(450)} ${id}`)),
    )
    const answers: RequestSummary[] = []
    using catalog = await searchApart(store)
    await using server = serveExplorer(store, {
      catalog,
      onResponse: (answered) => answers.push(answered),
    })
    const leavers = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
        await once(socket, 'connect')
        socket.write(`GET ${target}${'ab'.repeat(90 - at)} HTTP/1.1\r\nHost: x\r\n\r\n`)
        return socket
      }),
    )
    // All are received once a later request has its response.
    await server.get('/health')
    for (const socket of leavers) socket.resetAndDestroy()
    const { status, text } = await server.look(`${target}b+999`)
    expect(status).toBe(200)
    expect(text).toContain(' 999')
    await until(() => answers.length === leavers.length + 2)
    const early = answers.filter((each) => each.status === 499)
    expect(early.length).toBeGreaterThan(leavers.length / 2)
    expect(server.errors).toEqual([])
    await store.close()
  },
)
