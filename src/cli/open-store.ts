import { type DatabaseAddress, nameDatabase } from '../domain/database-address.ts'
import { CommandError } from '../domain/errors.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

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

/** For serving or importing: the database may be new, but must not be an incomplete copy. */
export async function openWhole(
  database: DatabaseAddress,
  options: Options = MAY_CREATE,
): Promise<OpenStore> {
  const store = await openForCommand(database, options)
  const note = (await store.copying.find()) ?? ''
  if (note === '' || note.includes('\n')) return store
  await store.close()
  // The next run of the copy would overwrite later writes.
  throw new CommandError(
    `The copy of ${note} to ${nameDatabase(database)} is incomplete: run "passportd copy" again to complete it, or accept the contents with "passportd copy --forget" and the database URL.`,
  )
}
