import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createCaller } from '../../src/core/basics/thread-calls.ts'
import type { WriteCall } from '../../src/core/store/data.ts'
import { startThread } from '../../src/core/threads/thread.ts'
import { USAGE } from '../support/features/keys.ts'
import { createWindowMemory } from '../support/http/rate-limits.ts'
import { createIndexState } from '../support/index/local-index.ts'
import { expectRefusal } from '../support/program/errors.ts'
import { createLog } from '../support/program/log.ts'
import { readConfig } from '../support/program/settings.ts'
import { createDamage, openStore } from '../support/store/open.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/wait-until.ts'

const ALL = { since: '0000-01-01', until: '9999-12-31' }

const write = (status: number): WriteCall => ({
  data: 'usage',
  method: 'add',
  args: [[{ day: '2026-01-01', key: '', endpoint: 'list', status, count: 1 }], new Map()],
})

/** Starts the real writer thread. The test calls it as a server thread does, even after a restart. */
async function startWriter() {
  const folder = tempFolder()
  const config = readConfig({ DATABASE_URL: `sqlite:${join(folder.path, 'test.db')}` }, { demo: false })
  const store = await openStore(config.database)
  const workers: Worker[] = []
  const onWorker = (worker: Worker) => void workers.push(worker)
  process.on('worker', onWorker)
  const client = createCaller<WriteCall, unknown>('The writer thread ended.', 2)
  const thread = startThread({
    name: 'writer-thread',
    file: 'serve/writer-thread.ts',
    log: createLog({ write: () => undefined, json: true, now: Date.now }),
    onStart({ post }) {
      const { port1, port2 } = new MessageChannel()
      post({
        kind: 'start',
        config,
        damage: createDamage(),
        index: createIndexState(),
        windows: createWindowMemory(),
      })
      post({ kind: 'connect', thread: 'writer-thread', port: port1 }, [port1])
      client.connect(port2)
    },
  })
  return {
    send: client.send,
    kill: () => workers.at(-1)?.terminate(),
    starts: () => workers.length,
    statuses: async () => (await store.data(USAGE).list(ALL)).map(({ status }) => status).sort(),
    async [Symbol.asyncDispose]() {
      process.off('worker', onWorker)
      await thread.stop()
      await store.database.close()
      folder[Symbol.dispose]()
    },
  }
}

test('the writer thread confirms and stores each write, and a write beyond the limit of the queue is rejected as overloaded', async () => {
  await using writer = await startWriter()
  const { send } = writer
  const waiting = [send(write(200)), send(write(301))]
  await expectRefusal(send(write(404)), 'overloaded')
  expect(await Promise.all(waiting)).toEqual([undefined, undefined])
  await send(write(500))
  await until(async () => (await writer.statuses()).length === 3)
  expect(await writer.statuses()).toEqual([200, 301, 500])
})

test('if the writer thread dies, a waiting write fails as unavailable, and the restarted thread accepts writes', async () => {
  await using writer = await startWriter()
  const { send } = writer
  await send(write(200))
  await until(async () => (await writer.statuses()).length === 1)
  writer.kill()
  const waiting = send(write(404))
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable', message: 'The writer thread ended.' })
  expect(writer.starts()).toBe(2)
  await send(write(500))
  await until(async () => (await writer.statuses()).length === 2)
  expect(await writer.statuses()).toEqual([200, 500])
})
