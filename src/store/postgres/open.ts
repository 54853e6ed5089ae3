import { namePostgres } from '../../domain/database-address.ts'
import { ServiceError } from '../../domain/errors.ts'
import { createEvents } from '../events/postgres.ts'
import type { MigrationMode } from '../outdated-schema.ts'
import { createMirror } from '../shared/mirror.ts'
import { createCopying, createIdentity, createRetirement } from '../shared/settings.ts'
import { createShownCredentials } from '../shared/shown-credentials.ts'
import type { Store } from '../store.ts'
import { createPool, openPrimaryPool, type Pool } from './connection/health-checked-pool.ts'
import type { Query } from './connection/query.ts'
import { createReplicas } from './connection/replicas.ts'
import type { PoolOptions } from './connection/sql-pools.ts'
import { createCopyTables } from './copy-tables.ts'
import { createKeys } from './keys.ts'
import { createListing } from './listing.ts'
import { checkVersion, findNewerSchema, prepareSchema } from './migrate/migrate.ts'
import { createPassportReader } from './passports.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createRules } from './rules.ts'
import { createScoring } from './scoring.ts'
import { createUsage } from './usage.ts'
import { createV1Reader, createV2Reader } from './v1.ts'
import { createFacetsReader } from './v3/facets.ts'
import { createV3Reader } from './v3/find-passports.ts'
import { createSearchReader } from './v3/search.ts'

type Address = { url: string; readUrls?: readonly string[]; maxLag?: number }

type Options = Partial<PoolOptions> & {
  migrate?: MigrationMode
  onMigrate?: (done: number, total: number) => void
}

/** Most commands need one connection, and should wait for a busy server. */
const FOR_COMMANDS: PoolOptions = { connections: 2, responseTimeout: 30_000 }

/** For replicas, in milliseconds. */
export const DEFAULT_MAX_LAG = 5000

/** Migrates and opens the database. Throws `unavailable` with a message for the operator. */
export async function openPostgres(
  { url, readUrls = [], maxLag = DEFAULT_MAX_LAG }: Address,
  { migrate: mode = true, onMigrate, ...given }: Options = {},
): Promise<Store> {
  const options = { ...FOR_COMMANDS, ...given }
  const primary = await openPrimaryPool(url, namePostgres(url), options)
  const pools = readUrls.map((readUrl) => {
    const name = namePostgres(readUrl)
    return { name, pool: createPool(readUrl, name, options) }
  })
  const close = async () =>
    void (await Promise.all([primary, ...pools.map(({ pool }) => pool)].map((each) => each.close())))
  try {
    const prepare: Prepare = (to, name) => prepareSchema(to, name, { mode, onProgress: onMigrate })
    await begin(prepare, primary, namePostgres(url), pools)
  } catch (error) {
    await close()
    throw error
  }
  const replicas = createReplicas(primary, pools, { maxLag, onNotice: options.onNotice })
  const read = replicas.read(({ query }) => query)
  /** The active rule set: a replica may not know the last one. */
  const readCurrent: Query = <Row>(...args: Parameters<Query>) =>
    primary.query<Row>(...args).catch(() => read<Row>(...args))
  const v3 = createV3Reader(read)
  const passports = createPassportReader(read)
  const { keys, forget } = createKeys(primary, pools.length === 0 ? undefined : { query: read })
  const readLong = replicas.read(({ longQuery }) => longQuery)
  const listing = createListing(readLong, read)
  watch({ primary, pools, replicas, forgetKeys: forget, forgetListing: listing.forget })

  return {
    passports: { ...passports, ...createPassportChanges(primary) },
    records: createRecords(primary),
    credentials: createShownCredentials(v3),
    v1: createV1Reader(read),
    v2: createV2Reader(read),
    v3,
    listing,
    facets: createFacetsReader(readLong),
    search: createSearchReader(read),
    scoring: createScoring(primary),
    rules: createRules(primary, readCurrent),
    events: createEvents(read, primary),
    mirror: createMirror(primary.query),
    keys,
    usage: createUsage(primary),
    retirement: createRetirement(read, primary.query),
    identity: createIdentity(read, primary.query),
    copyTables: createCopyTables(primary),
    copying: createCopying(read, primary.query),
    newerSchema: () => findNewerSchema(primary.query),
    async ping() {
      const [writes, ...reads] = await Promise.allSettled(
        [primary, ...pools.map(({ pool }) => pool)].map((each) => each.ping()),
      )
      if (writes?.status !== 'fulfilled' && !reads.some(({ status }) => status === 'fulfilled'))
        throw writes?.reason
      return {
        writes: writes?.status === 'fulfilled' && writes.value.writes,
        ...(pools.length > 0 && { replicas: replicas.list() }),
      }
    },
    close,
  }
}

type Watched = {
  primary: Pool
  pools: readonly { pool: Pool }[]
  replicas: ReturnType<typeof createReplicas>
  forgetKeys: () => void
  forgetListing: () => void
}

/** Clears caches after changes by other nodes, and after another server begins to respond. */
function watch({ primary, pools, replicas, forgetKeys, forgetListing }: Watched): void {
  let keysVersion: number | undefined
  let wasDiverged = false
  primary.watch((health) => {
    replicas.onPrimary(health)
    if (health.isOtherServer || health.keys !== keysVersion) forgetKeys()
    if (health.isOtherServer) forgetListing()
    keysVersion = health.keys
  })
  for (const [index, { pool }] of pools.entries()) {
    let keysVersionOfReplica: number | undefined
    pool.watch((health) => {
      replicas.onReplica(index, health)
      // If only this node has lost the primary, the replica still receives revocations.
      if (health.keys !== keysVersionOfReplica) forgetKeys()
      if (health.isOtherServer || replicas.isDiverged() !== wasDiverged) forgetListing()
      wasDiverged = replicas.isDiverged()
      keysVersionOfReplica = health.keys
    })
  }
}

type Prepare = (pool: Pool, name: string) => Promise<unknown>

/** With an unavailable primary, a node can still read from a migrated replica. */
async function begin(
  prepare: Prepare,
  primary: Pool,
  name: string,
  replicas: readonly { pool: Pool; name: string }[],
): Promise<void> {
  try {
    await prepare(primary, name)
  } catch (error) {
    const isUnavailable =
      error instanceof ServiceError && error.code === 'unavailable' && error.cause !== undefined
    if (!isUnavailable) throw error
    for (const { pool, name: replica } of replicas) {
      const version = await checkVersion(pool.query, replica).catch(() => 0)
      if (version > 0) return
    }
    throw error
  }
}
