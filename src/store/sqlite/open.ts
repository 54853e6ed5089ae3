import type { Store } from '../store.ts'
import { connectReader, connectWriter, guarded, reachable } from './connect.ts'
import { createCredentialReader } from './credentials.ts'
import { createKeys } from './keys.ts'
import { migrate } from './migrate.ts'
import { createPassportReader, createPassportWriter } from './passports.ts'
import { createRanking } from './ranking.ts'

/** Opens the database file, making it or bringing it up to date first. Throws `unavailable` with a sentence. */
export function openSqlite(path: string): Store {
  return reachable(path, () => {
    const writer = connectWriter(path)
    migrate(writer)
    const reader = connectReader(path)
    const ranking = createRanking(connectReader(path))
    const ping = reader.query('select version from ranking')

    return {
      passports: guarded(path, {
        ...createPassportReader({ reader, ranking }),
        ...createPassportWriter(writer),
      }),
      credentials: guarded(path, createCredentialReader(reader)),
      keys: guarded(path, createKeys({ reader, writer })),
      ping: () => reachable(path, () => void ping.get()),
      close() {
        ranking.close()
        reader.close()
        writer.close()
      },
    }
  })
}
