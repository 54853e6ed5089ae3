import { openStore } from '../../src/store/open.ts'
import { serveProcess } from '../../test/support/cli.ts'
import { BENCH_TIER, KEY, keepKey } from '../key.ts'
import { tempFolder } from '../measure.ts'
import { endWithUs } from './child.ts'

/** As in production: metrics on, a tier whose limit is counted. */
export const SERVING = { METRICS_PORT: '0', TIERS: BENCH_TIER }

export const KEY_HEADERS = { 'X-API-KEY': KEY }

/** The command itself, in a process of its own, on a database that has the key of the bench. */
export async function startOurs(database: string) {
  const folder = tempFolder()
  const node = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: database, ...SERVING } })
  endWithUs(node.child)
  return {
    url: node.url,
    pid: node.child.pid,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

export async function keepKeyIn(path: string): Promise<void> {
  const store = await openStore({ engine: 'sqlite', path })
  await keepKey(store)
  await store.close()
}
