import type { Database } from 'bun:sqlite'
import type { ListedPassport, ListingStore } from '../store.ts'

/** After more changes the whole listing is read. */
const MOST_CHANGES = 50_000

/** Needs its own connection, because it reads for a long time. */
export function createListing(reader: Database): ListingStore {
  const findVersion = reader.query<{ version: number }, []>('select version from ranking')
  const listAll = reader.query<ListedPassport, []>(
    `select passport_id as id, score, name from v1_passports indexed by v1_passports_by_version
     order by score desc, passport_id`,
  )
  const listChanged = reader.query<ListedPassport, [number, number]>(
    'select passport_id as id, score, name from v1_passports where version > ? limit ?',
  )
  const listUnlisted = reader.query<{ id: number }, [number]>(
    'select passport_id as id from unlisted where version > ?',
  )
  const version = () => findVersion.get()?.version ?? 0

  return {
    readAll: reader.transaction((add: (passport: ListedPassport) => void) => {
      for (const passport of listAll.iterate()) add(passport)
      return String(version())
    }),
    readChanges: reader.transaction((since: string) => {
      const now = version()
      if (String(now) === since) return { cursor: since, listed: [], unlisted: [] }
      const listed = listChanged.all(Number(since), MOST_CHANGES + 1)
      // A cursor ahead of the counter comes from another database.
      if (listed.length > MOST_CHANGES || now < Number(since)) return undefined
      return {
        cursor: String(now),
        listed,
        unlisted: listUnlisted.all(Number(since)).map(({ id }) => id),
      }
    }),
  }
}
