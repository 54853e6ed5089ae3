import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../config/config.ts'
import { type DatabaseAddress, nameDatabase } from '../config/database-address.ts'
import { CommandError } from '../domain/errors.ts'
import { loadRules } from '../scoring/load-rules.ts'
import { findRules } from '../scoring/rules.ts'
import { OutdatedSchemaError } from '../store/migrations/schema-version.ts'
import { openStore } from '../store/open.ts'
import { orphanedWalProblem } from '../store/sqlite/wal-checks.ts'
import type { Store } from '../store/store.ts'
import type { Terminal } from './terminal.ts'

type Options = Parameters<typeof openStore>[1]
type OpenStore = Store & AsyncDisposable

/** For commands that may create a database, but not migrate an older one. */
export const MAY_CREATE: Options = { create: true, migrate: 'new' }

/** For `await using`. By default a missing or outdated database is refused. */
export async function openForCommand(
  database: DatabaseAddress,
  options: Options = { create: false, migrate: false },
): Promise<OpenStore> {
  const store = await openStore(database, options)
  return { ...store, [Symbol.asyncDispose]: async () => store.close() }
}

/** For `await using`: the database of the settings, with its name in messages. A missing one means a wrong DATABASE_URL. */
export async function openConfigured(
  { env }: Terminal,
  values: { demo?: true | undefined },
  open: (database: DatabaseAddress) => Promise<OpenStore> = openForCommand,
) {
  const config = readConfig(env, values)
  const { database } = config
  // A replica may lag: a change must be based on the current state.
  const store = await open(
    database.engine === 'postgres' ? { engine: 'postgres', url: database.url } : database,
  )
  const name = nameDatabase(config.database)
  return { config, store, name, [Symbol.asyncDispose]: store[Symbol.asyncDispose] }
}

/** Also finds the active rule set. RULES is read first: an invalid file must not lead to a new database. */
export async function openWithRules(...args: Parameters<typeof openConfigured>) {
  const [{ env }, values] = args
  const initial = await loadRules(readConfig(env, values).rules)
  const database = await openConfigured(...args)
  return { ...database, rules: await findRules(database.store, initial) }
}

/** For serving or importing: the database may be new, but must not be an incomplete copy. */
export async function openWhole(
  database: DatabaseAddress,
  options: Options = MAY_CREATE,
): Promise<OpenStore> {
  const store = await openForCommand(database, options)
  const note = (await store.copying.find()) ?? ''
  // Until version 0.2.1 a complete copy left a note of two lines.
  if (note === '' || note.includes('\n')) return store
  await store.close()
  // The next run of the copy would overwrite later writes.
  throw new CommandError(
    `The copy of ${note} to ${nameDatabase(database)} is incomplete: run "passportd copy" again to complete it, or accept the contents with "passportd copy --forget" and the database URL.`,
  )
}

/** For a dry run: neither creates nor migrates the database. A new one is empty, like the temporary file that stands for it. */
export async function openForDryRun(database: DatabaseAddress): Promise<OpenStore> {
  if (database.engine === 'sqlite' && isMissing(database.path)) return openTemporary()
  try {
    return await openWhole(database, { create: false, migrate: false })
  } catch (error) {
    if (error instanceof OutdatedSchemaError && error.version === 0) return openTemporary()
    throw error
  }
}

const isMissing = (path: string) =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0 && orphanedWalProblem(path) === undefined

async function openTemporary(): Promise<OpenStore> {
  const folder = mkdtempSync(join(tmpdir(), 'passportd-dry-run-'))
  const store = await openForCommand({ engine: 'sqlite', path: join(folder, 'new.db') }, {})
  const close = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { ...store, close, [Symbol.asyncDispose]: close }
}
