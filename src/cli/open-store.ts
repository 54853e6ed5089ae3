import { type DatabaseAddress, nameDatabase } from '../domain/database-address.ts'
import { CommandError } from '../domain/errors.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

type Options = Parameters<typeof openStore>[1]
type OpenStore = Store & AsyncDisposable

/** For `await using`. A database that does not exist is not made, unless `options` say so. */
export async function openForCommand(
  database: DatabaseAddress,
  options: Options = { create: false },
): Promise<OpenStore> {
  const store = await openStore(database, options)
  return { ...store, [Symbol.asyncDispose]: async () => store.close() }
}

/** The same to serve from or to write records to: it may be a new one, but not one that half was copied to. */
export async function openWhole(database: DatabaseAddress, options: Options = {}): Promise<OpenStore> {
  const store = await openForCommand(database, options)
  const note = (await store.copying.find()) ?? ''
  if (note === '' || note.includes('\n')) return store
  await store.close()
  // The next run of the copy would take later writes for its own.
  throw new CommandError(
    `A copy of ${note} to ${nameDatabase(database)} has not ended: run it again to its end. "passportd copy --forget" and its address takes what is there as it is.`,
  )
}
