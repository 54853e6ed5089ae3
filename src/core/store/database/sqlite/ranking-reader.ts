import type { Database } from 'bun:sqlite'
import type { ChangedPassport, ListedPassport, ListingChanges, ListingStore } from '../../store.ts'
import { type ReadTransaction, translateErrors } from './connect.ts'

/** After more changes than this, the whole listing is read. */
const MOST_CHANGES = 50_000

/** `readRecent` returns `undefined` after more changes than this. */
const MOST_RECENT_CHANGES = 5000

/** `long` is a connection for long reads. `readRecent` reads in the same transaction as V1 reads. */
export function createListing(
  path: string,
  long: Database,
  shared: Database,
  transaction: ReadTransaction,
): Omit<ListingStore, 'listFacets'> {
  const version = createVersionReader(long)
  const listAll = long.query<ListedPassport, []>(
    `select passport_id as id, score, name from v1_passports indexed by v1_passports_by_version
     order by score desc, passport_id`,
  )
  const readAll = long.transaction((add: (passport: ListedPassport) => void) => {
    for (const passport of listAll.iterate()) add(passport)
    return String(version())
  })
  const readChanges = long.transaction(createChangesReader(long, MOST_CHANGES))
  const readRecent = createChangesReader(shared, MOST_RECENT_CHANGES)

  return {
    readAll: (add) => translateErrors(path, () => readAll(add)),
    readChanges: (since) => translateErrors(path, () => readChanges(since)),
    readRecent: (since) => transaction.read(() => readRecent(since)),
  }
}

function createVersionReader(reader: Database): () => number {
  const find = reader.query<{ version: number }, []>('select version from ranking')
  return () => find.get()?.version ?? 0
}

function createChangesReader(reader: Database, most: number) {
  const version = createVersionReader(reader)
  const listChanged = reader.query<ChangedPassport, [number, number]>(
    'select passport_id as id, score, name, version from v1_passports where version > ? limit ?',
  )
  const listUnlisted = reader.query<{ id: number }, [number, number]>(
    'select passport_id as id from unlisted where version > ? limit ?',
  )

  return (since: string): ListingChanges | undefined => {
    const now = version()
    if (String(now) === since) return { cursor: since, listed: [], unlisted: [] }
    const listed = listChanged.all(Number(since), most + 1)
    const unlisted = listUnlisted.all(Number(since), most + 1)
    // A cursor above the current version comes from another database.
    if (listed.length > most || unlisted.length > most || now < Number(since)) return undefined
    return { cursor: String(now), listed, unlisted: unlisted.map(({ id }) => id) }
  }
}
