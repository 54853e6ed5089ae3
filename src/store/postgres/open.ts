import { namePostgres } from '../../domain/database-address.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { noDocuments } from '../no-documents.ts'
import type { Store } from '../store.ts'
import { withV1 } from '../v1-adapter.ts'
import { listCredentials } from './evidence.ts'
import { createKeys } from './keys.ts'
import { createLink, type Link, type LinkOptions } from './link.ts'
import { checkVersion, migrate, refuseOlder } from './migrate.ts'
import { createMirror } from './mirror.ts'
import { createCopying, createParts } from './parts.ts'
import { createPassportReader } from './passports.ts'
import type { Query } from './query.ts'
import { createRanking } from './ranking.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createScoring } from './scoring.ts'
import { createSearch } from './search.ts'
import { createRetirement } from './settings.ts'
import { createUsage } from './usage.ts'

type Address = { url: string; readUrl?: string | undefined }

/** Few connections: most commands need one. And time: they rather wait for a busy server than fail. */
const FOR_COMMANDS: LinkOptions = { connections: 2, answerWithin: 30_000 }

/** Opens the database, bringing it up to date first. Throws `unavailable` with a sentence. */
export async function openPostgres(
  { url, readUrl }: Address,
  { migrate: mayMigrate = true, ...options }: Partial<LinkOptions> & { migrate?: boolean } = {},
): Promise<Store> {
  const link = (to: string) => createLink(to, namePostgres(to), { ...FOR_COMMANDS, ...options })
  const primary = link(url)
  const replica = readUrl === undefined ? undefined : link(readUrl)
  try {
    await begin(mayMigrate ? migrate : refuseOlder, { primary, url, replica, readUrl })
  } catch (error) {
    await Promise.all([primary.close(), replica?.close()])
    throw error
  }
  const read = fallingBack(({ query }) => query, replica ?? primary, primary)
  const readMuch = fallingBack(({ longQuery }) => longQuery, replica ?? primary, primary)

  const ranking = createRanking(readMuch)
  const search = createSearch(readMuch)
  const passports = createPassportReader({ read, ranking, search })
  const atPrimary = createPassportReader({ read: primary.query, ranking, search })
  const { keys, forget } = createKeys(primary, replica)
  const findId = async (ref: PassportRef) => (await atPrimary.find(ref))?.id

  let keysVersion: number | undefined
  let keysVersionOfReplica: number | undefined
  primary.watch((versions, isAnother) => {
    if (isAnother || versions.keys !== keysVersion) forget()
    keysVersion = versions.keys
    if (replica?.versions()) return
    if (isAnother) ranking.touch()
    else ranking.see(versions.ranking)
  })
  replica?.watch((versions, isAnother) => {
    // Where only we are cut off from the primary, the replica hears of a revocation.
    if (versions.keys !== keysVersionOfReplica) forget()
    keysVersionOfReplica = versions.keys
    if (isAnother) ranking.touch()
    else ranking.see(versions.ranking)
  })

  return withV1({
    passports: { ...passports, ...createPassportChanges(primary, ranking.touch) },
    records: createRecords(primary, ranking.touch),
    credentials: { list: (passportId) => listCredentials(read, passportId) },
    documents: noDocuments(passports),
    scoring: createScoring(primary, { find: findId, onChange: ranking.touch }),
    mirror: createMirror(primary),
    keys,
    usage: createUsage(primary),
    retirement: createRetirement(read, primary.query),
    parts: createParts(primary),
    copying: createCopying(read, primary.query),
    async ping() {
      const [writes, reads] = await Promise.allSettled([primary.ping(), replica?.ping()])
      if (writes.status === 'rejected' && (!replica || reads.status === 'rejected')) throw writes.reason
      return {
        writes: writes.status === 'fulfilled' && writes.value.writes,
        ...(replica && { replica: reads.status === 'fulfilled' }),
      }
    },
    async close() {
      await Promise.all([primary.close(), replica?.close()])
    },
  })
}

/** Reads go to the first, and whatever goes wrong there, to the second. */
function fallingBack(queryOf: (link: Link) => Query, first: Link, second: Link): Query {
  if (first === second) return queryOf(first)
  return async <Row>(text: string, values?: readonly unknown[]) => {
    try {
      return await queryOf(first)<Row>(text, values)
    } catch {
      return queryOf(second)<Row>(text, values)
    }
  }
}

/** A primary that is away does not keep a node from reading from the replica. */
async function begin(
  prepare: typeof migrate,
  { primary, url, replica, readUrl }: Address & { primary: Link; replica: Link | undefined },
): Promise<void> {
  try {
    await prepare(primary, namePostgres(url))
  } catch (error) {
    const isAway = error instanceof ServiceError && error.code === 'unavailable' && error.cause !== undefined
    if (!isAway || !replica || readUrl === undefined) throw error
    if ((await checkVersion(replica.query, namePostgres(readUrl))) === 0) throw error
  }
}
