import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callHere } from '../support/cli-in-process.ts'
import { type Reply, serveTest } from '../support/http/server.ts'
import { owning } from '../support/owning.ts'
import type { TestStore } from '../support/store/engines.ts'
import { adoptRules, fail, findRules, rescoreSome } from '../support/store/scoring.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type KeyName, makeKeys } from './keys.ts'

/** The service that is compared with the model: a server, its commands, and its clock. */
export type Node = {
  now(): number
  /** Lets some time pass. */
  advance(): void
  request(
    path: string,
    method?: string,
    body?: unknown,
    key?: KeyName,
  ): Promise<Pick<Reply, 'status' | 'body'>>
  command(...args: string[]): Promise<{ code: number; err: string }>
  /** Writes a file for a command, and returns its path. */
  file(name: string, text: string): string
  /** Scores all passports that need it. */
  settle(): Promise<void>
  /** Compares what may be a second old. */
  patiently<T>(compare: () => Promise<T>): Promise<T>
}

/** After the beginning of the event log, whose time is the real one. */
const BEGIN = Date.UTC(2050, 0, 1)

/** Reads of the server share a transaction, which does not include a write of another connection. */
const SHARED_READ_MILLISECONDS = 5

/** Returns a function that scores all passports that need it, by the active rule set. */
export function createSettler(store: Omit<TestStore, 'url'>, now: () => number): () => Promise<void> {
  let adopted = ''
  return async () => {
    const scorer = { store, rules: await findRules(store), now, onFailure: fail }
    if (scorer.rules.stamp !== adopted) await adoptRules(scorer)
    adopted = scorer.rules.stamp
    while (await rescoreSome(scorer));
  }
}

/** A server in this process, whose clock moves with each operation. */
export async function startNode(store: TestStore) {
  let now = BEGIN
  const folder = tempFolder()
  const server = serveTest(store, { now: () => now })
  const headersOf = await makeKeys(store)
  const node: Node = {
    now: () => now,
    advance() {
      now += 60_000
    },
    request: (path, method = 'GET', body, key = 'operator') =>
      server.get(path, {
        method,
        headers: headersOf(key),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async command(...args) {
      const result = await callHere(args, { env: { DATABASE_URL: store.url }, now })
      await Bun.sleep(2 * SHARED_READ_MILLISECONDS)
      return result
    },
    file(name, text) {
      const path = join(folder.path, name)
      writeFileSync(path, text)
      return path
    },
    settle: createSettler(store, () => now),
    patiently: (compare) => compare(),
  }
  return owning(
    { ...node, errors: server.errors },
    { [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() },
    store,
    server,
  )
}
