import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PassportRecord } from '../../src/core/passport/record.ts'
import { nameDatabase } from '../../src/core/store/database-address.ts'
import { openStore } from '../../src/core/store/open.ts'
import type { Store } from '../../src/core/store/store.ts'
import { exportRecords } from '../../src/features/records/export.ts'
import { run, serveProcess, start } from './cli.ts'
import { callHere } from './cli-in-process.ts'
import { listenHere } from './node-without-threads.ts'
import { owning } from './owning.ts'
import { addressOf, type MakeDatabase, saveRecords } from './store/engines.ts'
import { tempFolder } from './temp-folder.ts'

type Given = {
  files?: Record<string, string | Uint8Array>
  records?: readonly PassportRecord[]
  bare?: boolean
}

/** All records, as `export` writes them. */
export const exportAll = async (store: Store) =>
  (await Array.fromAsync(exportRecords(store), ({ text }) => text)).join('')

/** A folder and a new database for commands. The end of the block deletes both. */
export async function workplace(
  makeDatabase: MakeDatabase,
  { files = {}, records, bare = false }: Given = {},
) {
  const folder = tempFolder()
  const cwd = folder.path
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(cwd, name), contents)
  const made = await makeDatabase({ bare })
  const address = addressOf(made)
  const env = { DATABASE_URL: made.url }

  const open = () => openStore(address)
  async function look<T>(work: (store: Store) => T | Promise<T>): Promise<T> {
    await using store = await open()
    return await work(store)
  }
  if (records) await look((store) => saveRecords(store, records))

  const place = {
    cwd,
    env,
    database: nameDatabase(address),
    path: (name: string) => join(cwd, name),
    run: (...args: string[]) => run(args, { cwd, env }),
    /** Expects code 1, no output and `sentence` in the error message. Runs in this process. Needs absolute paths. */
    async refuses(sentence: string, ...args: string[]): Promise<void> {
      const result = { args, ...(await callHere(args, { env })) }
      expect(result).toEqual({ args, out: '', err: expect.stringContaining(sentence), code: 1 })
    },
    /** Runs a command in this process, which is faster than `run`. Needs absolute paths. */
    call: (...args: string[]) => callHere(args, { env }),
    /** The document that a command prints with `--json`. */
    json: async (...args: string[]) => JSON.parse((await callHere([...args, '--json'], { env })).out),
    /** Runs a command in this process, with the folder as working directory. Not for concurrent tests. */
    callIn: (...args: string[]) => callHere(args, { env, cwd }),
    start: (...args: string[]) => start(args, { cwd, env }),
    serve: (args: string[] = [], more: Record<string, string> = {}) =>
      serveProcess(args, { cwd, env: { ...env, ...more } }),
    /** A node in this process, which is faster than `serve`. */
    listen: (more: Record<string, string> = {}, options: Parameters<typeof listenHere>[1] = {}) =>
      listenHere({ ...env, ...more }, options),
    open,
    look,
    export: () => look(exportAll),
  }
  return owning(place, folder, made)
}
