import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../basics/errors.ts'
import { readConfig } from '../config/config.ts'
import { loadRules } from '../scoring/load-rules.ts'
import { findRules } from '../scoring/stamped-rule-set.ts'
import { type DatabaseAddress, nameDatabase } from '../store/database-address.ts'
import { openStore } from '../store/open.ts'
import { NewDatabaseError } from '../store/schema.ts'
import { COPY_NOTE } from '../store/sql/settings.ts'
import type { Store } from '../store/store.ts'
import type { Terminal } from './command.ts'

type Options = Parameters<typeof openStore>[1]

/** Options of most commands: a missing or outdated database is refused. */
export const MUST_EXIST: Options = { create: false, migrate: false }

/** Options of commands that may create a database, but must not migrate an older one. */
export const MAY_CREATE: Options = { create: true, migrate: 'new' }

/** Opens the configured database. If it is missing, DATABASE_URL is wrong: throws. `name` is for messages. */
export async function openConfigured(
  { env }: Terminal,
  values: { demo?: true | undefined },
  open = (database: DatabaseAddress) => openStore(database, MUST_EXIST),
) {
  const config = readConfig(env, values)
  const store = await open(config.database)
  const name = nameDatabase(config.database)
  return { config, store, name, [Symbol.asyncDispose]: store[Symbol.asyncDispose] }
}

export type OpenDatabase = Awaited<ReturnType<typeof openConfigured>>

/** Opens the configured database and finds the active rules. Reads RULES first: if invalid, creates no database. */
export async function openWithRules(...args: Parameters<typeof openConfigured>) {
  const [{ env }, values] = args
  const initial = await loadRules(readConfig(env, values).rules)
  const database = await openConfigured(...args)
  return { ...database, rules: await findRules(database.store, initial) }
}

/** Opens a database to serve from or to import to. It may be new, but must not be an incomplete copy. */
export async function openWhole(database: DatabaseAddress, options: Options = MAY_CREATE): Promise<Store> {
  const store = await openStore(database, options)
  const note = (await store.data(COPY_NOTE).find()) ?? ''
  // Until version 0.2.1 a complete copy left a note of two lines.
  if (note === '' || note.includes('\n')) return store
  await store.database.close()
  // Throws, because the next run of the copy would overwrite whatever is written now.
  throw new CommandError(
    `The copy of ${note} to ${nameDatabase(database)} is incomplete: run "passportd copy" again to complete it, or accept the contents with "passportd copy --forget" and the database URL.`,
  )
}

/**
 * Opens a database for a dry run, which neither creates nor migrates it. If it is missing, an empty temporary one is
 * opened.
 */
export async function openForDryRun(database: DatabaseAddress): Promise<Store> {
  try {
    return await openWhole(database, MUST_EXIST)
  } catch (error) {
    if (!(error instanceof NewDatabaseError)) throw error
  }
  const folder = mkdtempSync(join(tmpdir(), 'passportd-dry-run-'))
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const removeFolder = () => {
    for (const signal of signals) process.off(signal, onSignal)
    rmSync(folder, { recursive: true, force: true })
  }
  function onSignal(signal: NodeJS.Signals): void {
    removeFolder()
    // Without a listener, the process now ends by the signal.
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const store = await openStore({ engine: 'sqlite', path: join(folder, 'new.db') })
  const close = async () => {
    await store.database.close()
    removeFolder()
  }
  return { ...store, database: { ...store.database, close }, [Symbol.asyncDispose]: close }
}
