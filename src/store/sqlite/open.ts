import type { PassportRef } from '../../domain/passport.ts'
import type { Store } from '../store.ts'
import { connectReader, connectWriter, guarded, reachable } from './connect.ts'
import { createCredentialReader } from './credentials.ts'
import { createKeys } from './keys.ts'
import { migrate } from './migrate.ts'
import { createMirror } from './mirror.ts'
import { createCopying, createParts } from './parts.ts'
import { createPassportReader } from './passports.ts'
import { createPing } from './ping.ts'
import { createRanking } from './ranking.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createScoring } from './scoring.ts'
import { createSearch } from './search.ts'
import { createRetirement } from './settings.ts'
import { createUsage } from './usage.ts'

/** Opens the database file, bringing it up to date first. Throws `unavailable` with a sentence. */
export function openSqlite(path: string, { create = true }: { create?: boolean } = {}): Store {
  return reachable(path, () => {
    const writer = connectWriter(path, create)
    migrate(writer)
    const reader = connectReader(path)
    const ranking = createRanking(connectReader(path))
    const search = createSearch(connectReader(path))
    const ping = createPing(path, reader)

    const passports = createPassportReader({ reader, ranking, search })
    const connections = { reader, writer }
    const findId = (ref: PassportRef) => passports.find(ref)?.id

    return {
      passports: guarded(path, { ...passports, ...createPassportChanges(writer) }),
      records: guarded(path, createRecords(connections)),
      credentials: guarded(path, createCredentialReader(reader)),
      scoring: guarded(path, createScoring({ ...connections, find: findId })),
      mirror: guarded(path, createMirror(connections)),
      keys: guarded(path, createKeys({ reader, writer })),
      usage: guarded(path, createUsage(connections)),
      retirement: guarded(path, createRetirement(connections)),
      parts: createParts(connections).map(({ name, ...part }) => ({ name, ...guarded(path, part) })),
      copying: guarded(path, createCopying(connections)),
      ping: () => reachable(path, ping),
      close() {
        ranking.close()
        search.close()
        reader.close()
        writer.close()
      },
    }
  })
}
