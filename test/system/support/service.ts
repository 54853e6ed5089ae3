import { join } from 'node:path'
import { createLog } from '../../../src/core/basics/log.ts'
import { readConfig } from '../../../src/core/config/config.ts'
import { openStore } from '../../../src/core/store/open.ts'
import { startService } from '../../../src/serve/service.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { tempFolder } from '../../support/temp-folder.ts'

type Options = { workers?: number; env?: Record<string, string> }

const PEOPLE = inventPeople().slice(0, 60)

/** The service with 60 demo people, in this process. `threads` are in the order of their start: writer, pictures, index, servers. */
export async function startTestService({ workers = 1, env = {} }: Options = {}) {
  const folder = tempFolder()
  const settings = { PORT: '0', DATABASE_URL: `sqlite:${join(folder.path, 'test.db')}`, ...env }
  const config = readConfig(settings, { demo: true })
  const entries: string[] = []
  const log = createLog({ write: (line) => void entries.push(line), json: true, now: Date.now })
  const threads: Worker[] = []
  const onWorker = (worker: Worker) => void threads.push(worker)
  process.on('worker', onWorker)
  const store = await openStore(config.database)
  const people = PEOPLE.map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.save(people, { now: Date.now(), restore: false })
  const service = await startService({ config, workers, store, log })
  return {
    ...service,
    databaseUrl: settings.DATABASE_URL,
    store,
    threads,
    messages: () => entries.map((line) => JSON.parse(line).message as string),
    get: (path: string) => fetch(new URL(path, service.url), { keepalive: false }),
    async [Symbol.asyncDispose]() {
      process.off('worker', onWorker)
      await service.stop()
      await store.database.close()
      folder[Symbol.dispose]()
    },
  }
}
