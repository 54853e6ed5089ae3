import { namePostgres } from '../../domain/database-address.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { PassportRef } from '../../domain/passport.ts'
import type { Store } from '../store.ts'
import { createPool, type Pool, type PoolOptions } from './connection/health-checked-pool.ts'
import type { Query } from './connection/query.ts'
import { createCopying, createCopyTables } from './copy-tables.ts'
import { listCredentials } from './credentials-and-points.ts'
import { createKeys } from './keys.ts'
import { createListing } from './listing.ts'
import { checkVersion, migrate, refuseOutdatedSchema } from './migrate/migrate.ts'
import { createMirror } from './mirror.ts'
import { createPassportReader } from './passports.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createScoring } from './scoring.ts'
import { createRetirement } from './settings.ts'
import { createUsage } from './usage.ts'
import { createV1Reader } from './v1.ts'

type Address = { url: string; readUrl?: string | undefined }

type Options = Partial<PoolOptions> & {
  migrate?: boolean
  onMigrate?: (done: number, total: number) => void
}

/** Most commands need one connection, and should wait for a busy server. */
const FOR_COMMANDS: PoolOptions = { connections: 2, responseTimeout: 30_000 }

/** Migrates and opens the database. Throws `unavailable` with a sentence. */
export async function openPostgres(
  { url, readUrl }: Address,
  { migrate: mayMigrate = true, onMigrate, ...options }: Options = {},
): Promise<Store> {
  const pool = (to: string) => createPool(to, namePostgres(to), { ...FOR_COMMANDS, ...options })
  const primary = pool(url)
  const replica = readUrl === undefined ? undefined : pool(readUrl)
  try {
    const prepare: Prepare = mayMigrate ? (to, name) => migrate(to, name, onMigrate) : refuseOutdatedSchema
    await begin(prepare, { primary, url, replica, readUrl })
  } catch (error) {
    await Promise.all([primary.close(), replica?.close()])
    throw error
  }
  const read = withFallback(({ query }) => query, replica ?? primary, primary)
  const readMuch = withFallback(({ longQuery }) => longQuery, replica ?? primary, primary)

  const passports = createPassportReader(read)
  const atPrimary = createPassportReader(primary.query)
  const { keys, forget } = createKeys(primary, replica)
  const listing = createListing(readMuch, read)
  const findId = async (ref: PassportRef) => (await atPrimary.find(ref))?.id

  let keysVersion: number | undefined
  let keysVersionOfReplica: number | undefined
  primary.watch((version, isOtherServer) => {
    if (isOtherServer || version !== keysVersion) forget()
    if (isOtherServer) listing.forget()
    keysVersion = version
  })
  replica?.watch((version, isOtherServer) => {
    // If only this node has lost the primary, the replica still receives revocations.
    if (version !== keysVersionOfReplica) forget()
    if (isOtherServer) listing.forget()
    keysVersionOfReplica = version
  })

  return {
    passports: { ...passports, ...createPassportChanges(primary) },
    records: createRecords(primary),
    credentials: { list: (passportId) => listCredentials(read, passportId) },
    v1: createV1Reader(read),
    listing,
    scoring: createScoring(primary, findId),
    mirror: createMirror(primary),
    keys,
    usage: createUsage(primary),
    retirement: createRetirement(read, primary.query),
    copyTables: createCopyTables(primary),
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
  }
}

/** Reads from the first pool, and after any error from the second. */
function withFallback(queryOf: (pool: Pool) => Query, first: Pool, second: Pool): Query {
  if (first === second) return queryOf(first)
  return async <Row>(text: string, values?: readonly unknown[]) => {
    try {
      return await queryOf(first)<Row>(text, values)
    } catch {
      // The first pool reports its own errors.
      return queryOf(second)<Row>(text, values)
    }
  }
}

type Prepare = (pool: Pool, name: string) => Promise<void>

/** With an unavailable primary, a node can still read from a migrated replica. */
async function begin(
  prepare: Prepare,
  { primary, url, replica, readUrl }: Address & { primary: Pool; replica: Pool | undefined },
): Promise<void> {
  try {
    await prepare(primary, namePostgres(url))
  } catch (error) {
    const isUnavailable =
      error instanceof ServiceError && error.code === 'unavailable' && error.cause !== undefined
    if (!isUnavailable || !replica || readUrl === undefined) throw error
    if ((await checkVersion(replica.query, namePostgres(readUrl))) === 0) throw error
  }
}
