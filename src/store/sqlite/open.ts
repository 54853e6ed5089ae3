import type { PassportRef } from '../../domain/passport.ts'
import type { Store } from '../store.ts'
import {
  closeOnError,
  connectReader,
  connectWriter,
  type Methods,
  openChecked,
  translatingErrors,
  withTranslatedErrors,
} from './connect.ts'
import { createCopying, createCopyTables } from './copy-tables.ts'
import { createShownCredentials } from './credentials-and-points.ts'
import { createKeyReader, createKeys } from './keys.ts'
import { createListing } from './listing.ts'
import { migrate, refuseOutdatedSchema } from './migrate/migrate.ts'
import type { OnProgress } from './migrate/migration-9.ts'
import { createMirror } from './mirror.ts'
import { createPassportReader } from './passports.ts'
import { createPing } from './ping.ts'
import { createReadTransaction } from './read-transaction.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createScoring } from './scoring.ts'
import { createRetirement } from './settings.ts'
import { createUsage } from './usage.ts'
import { createV1Reader } from './v1.ts'
import { createWalLimit } from './wal-checkpoint.ts'

type Options = {
  create?: boolean
  migrate?: boolean
  onMigrate?: OnProgress | undefined
}

/** Opens the database file and migrates it first. Throws `unavailable` with a sentence. */
export function openSqlite(path: string, options: Options = {}): Store {
  const { create = true, migrate: mayMigrate = true, onMigrate } = options
  return openChecked(path, () => {
    const writer = connectWriter(path, create)
    closeOnError(writer, () => (mayMigrate ? migrate(writer, onMigrate) : refuseOutdatedSchema(writer)))
    const reader = connectReader(path)
    /** The connection of short reads, which share transactions. */
    const shared = connectReader(path)
    const transaction = createReadTransaction(path, shared)
    const listing = connectReader(path)
    const ping = createPing(path, reader)
    const passports = createPassportReader(shared, transaction)
    const findId = (ref: PassportRef) => passports.find(ref)?.id
    const connections = { reader, writer }

    /** What was written here is read at once, and our own reads do not keep the WAL from being emptied. */
    const before = transaction.end
    const writing = <T extends Methods>(methods: T) => translatingErrors(path, methods, { before })
    const limitWal = createWalLimit(path, writer)
    /** What may write much: import, mirror, scoring, copy. */
    const filling = <T extends Methods>(methods: T) =>
      translatingErrors(path, methods, { before, after: limitWal })

    return {
      passports: { ...passports, ...writing(createPassportChanges(writer)) },
      records: filling(createRecords(connections)),
      credentials: createShownCredentials(shared, transaction),
      v1: createV1Reader(shared, transaction),
      listing: translatingErrors(path, createListing(listing), {}),
      scoring: filling(createScoring({ ...connections, find: findId })),
      mirror: writing(createMirror(connections)),
      keys: { ...createKeyReader(shared, transaction), ...writing(createKeys(connections)) },
      usage: writing(createUsage(connections)),
      retirement: writing(createRetirement(connections)),
      copyTables: createCopyTables(connections).map(({ name, ...part }) => ({ name, ...filling(part) })),
      copying: writing(createCopying(connections)),
      ping: () => withTranslatedErrors(path, ping),
      close() {
        transaction.close()
        for (const database of [listing, reader, writer]) database.close()
      },
    }
  })
}
