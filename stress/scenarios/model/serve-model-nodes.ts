import { writeFileSync } from 'node:fs'
import { makeKeys } from '../../../test/model/keys.ts'
import { createSettler, type Node } from '../../../test/model/node.ts'
import { workplace } from '../../../test/support/cli-sandbox.ts'
import { owning } from '../../../test/support/owning.ts'
import type { Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { until } from '../../../test/support/wait-until.ts'

/** Lists may be a second old. */
const PATIENCE_MS = 5000

/** On SQLite, reads share a transaction for 5 ms. */
const SHARED_READ_MS = 6

export type ModelNodes = Awaited<ReturnType<typeof serveModelNodes>>

/** Nodes of one database as separate processes, for the model. A request goes to any of them. */
export async function serveModelNodes(engine: EngineName, count: number, random: Random) {
  const sandbox = await workplace(databaseMaker(engine))
  const store = await sandbox.open()
  const scoreAll = createSettler(store, Date.now)
  const headersOf = await makeKeys(store)
  // Without the explorer, V2 has no URLs of cards, which begin with the port.
  const start = async () => {
    const started = await sandbox.serve([], { EXPLORER: 'false' })
    void readLog(started.child.stderr)
    return started
  }
  let log = ''
  async function readLog(stderr: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stderr) log = `${log}${Buffer.from(chunk)}`.slice(-3000)
  }
  const nodes = await Promise.all(Array.from({ length: count }, start))

  const node: Node = {
    now: Date.now,
    // The times of moments have milliseconds, and so have those of events.
    advance: () => Bun.sleepSync(2),
    async request(path, method = 'GET', body, key = 'operator') {
      const { url } = random.pick(nodes)
      const response = await fetch(url + path, {
        method,
        headers: headersOf(key),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (response.status >= 500) throw new Error(`${method} ${path} got ${response.status}: ${log}`)
      return { status: response.status, body: await response.json() }
    },
    command: (...args) => sandbox.call(...args),
    file(name, text) {
      writeFileSync(sandbox.path(name), text)
      return sandbox.path(name)
    },
    async settle() {
      await scoreAll()
      // A node may have taken some of the passports.
      await until(async () => (await store.scoring.countStale()) === 0, 'all scores')
      if (engine === 'sqlite') await Bun.sleep(SHARED_READ_MS)
    },
    async patiently(compare) {
      for (const deadline = Date.now() + PATIENCE_MS; ; await Bun.sleep(50))
        try {
          return await compare()
        } catch (error) {
          if (Date.now() > deadline) throw error
        }
    },
  }
  return owning(
    {
      ...node,
      /** Kills all nodes `milliseconds` later, and starts them again. */
      async killAll(milliseconds: number) {
        await Bun.sleep(milliseconds)
        for (const { child } of nodes) child.kill('SIGKILL')
        for (const { child } of nodes) await child.exited
        nodes.splice(0, count, ...(await Promise.all(nodes.map(start))))
      },
    },
    sandbox,
    store,
    {
      [Symbol.asyncDispose]: async () =>
        void (await Promise.all(nodes.map((each) => each[Symbol.asyncDispose]()))),
    },
  )
}
