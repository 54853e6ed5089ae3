import { createCopyTables } from '../../../../features/copy/statements.ts'
import { ServiceError } from '../../../basics/errors.ts'
import { createUseData } from '../../data.ts'
import { namePostgres, splitHosts } from '../../database-address.ts'
import { type MigrationMode, outdatedSchema } from '../../migrations/schema-version.ts'
import { createFacetsReader } from '../../sql/facets.ts'
import { createKeys } from '../../sql/keys.ts'
import { createCredentials, createPassportReader } from '../../sql/passports.ts'
import { createRules } from '../../sql/rules.ts'
import { createScoring } from '../../sql/scoring.ts'
import { createSearch } from '../../sql/search.ts'
import { createV3Reader } from '../../sql/v3.ts'
import type { Store } from '../../store.ts'
import { createEventChanges } from '../../write/write-events.ts'
import { createPassportChanges, createRecords } from '../../write/write-records.ts'
import { createPool, type Pool } from './connection/health-checked-pool.ts'
import { createConnection, createDatabase, createPrepare, DIALECT } from './connection/pool-database.ts'
import { createPrimary } from './connection/primary.ts'
import { createReplicas, preferPrimary } from './connection/replicas.ts'
import { after, type PoolOptions } from './connection/sql-pools.ts'
import { createEventReader } from './events.ts'
import { createKeyCache } from './key-cache.ts'
import { checkVersion, findNewerSchema, prepareSchema, SCHEMA } from './migrate.ts'
import { createListing } from './ranking-reader.ts'

type Address = { url: string; readUrls?: readonly string[]; maxLag?: number }

type Options = Partial<PoolOptions> & { migrate?: MigrationMode }

/** Commands need few connections, and should wait for a busy server. */
const FOR_COMMANDS: PoolOptions = { connections: 2, responseTimeout: 30_000 }

/** The default limit for the lag of a replica, in milliseconds. */
const DEFAULT_MAX_LAG = 5000

/** Migrates and opens the database. Throws `unavailable` with a message for the operator. */
export async function openPostgres(
  { url, readUrls = [], maxLag = DEFAULT_MAX_LAG }: Address,
  { migrate: mode = true, ...given }: Options = {},
): Promise<Store> {
  const options = { ...FOR_COMMANDS, ...given }
  const pools = createPools(url, readUrls, options)
  const close = async () => void (await Promise.all(pools.all.map((pool) => pool.close())))
  const primary = createPrimary(pools.hosts, namePostgres(url), options)
  const readable = [...pools.listed, ...pools.standbys]
  try {
    await orReadable(prepareSchema(primary, mode, given.onNotice), readable, options.responseTimeout)
  } catch (error) {
    await close()
    throw error
  }
  const replicas = createReplicas(primary, pools, { maxLag, onNotice: options.onNotice })
  const read = replicas.read(({ query }) => query)
  /** Reads the active rule set from the primary, because a replica may not have the latest one. */
  const readCurrent = preferPrimary(primary, read)
  const database = createDatabase(primary)
  const { find, forget } = createKeyCache(primary, pools.all.length === 1 ? undefined : read)
  const readLong = replicas.read(({ longQuery }) => longQuery)
  const listing = createListing(readLong, read)
  watch(primary, readable, replicas, { forgetKeys: forget, forgetListing: listing.forget })
  const prepare = createPrepare(read)
  const v3 = createV3Reader(prepare)

  return {
    passports: {
      ...createPassportReader(createConnection(read), prepare, v3),
      ...createPassportChanges(database),
    },
    records: createRecords(database),
    credentials: createCredentials(v3),
    v3,
    listing,
    facets: createFacetsReader(createConnection(readLong)),
    search: createSearch(prepare, DIALECT),
    scoring: createScoring(database),
    rules: createRules(database, readCurrent),
    events: { ...createEventReader(read, primary), ...createEventChanges(database) },
    keys: { ...createKeys(database, forget), find },
    copyTables: createCopyTables(database),
    data: createUseData({ database, prepare }),
    newerSchema: () => findNewerSchema(primary.query),
    async ping() {
      const [writes, ...reads] = await Promise.allSettled([primary, ...pools.all].map((each) => each.ping()))
      if (writes?.status !== 'fulfilled' && !reads.some(({ status }) => status === 'fulfilled'))
        throw writes?.reason
      return {
        writes: writes?.status === 'fulfilled' && writes.value.writes,
        ...(pools.listed.length > 0 && { replicas: replicas.list() }),
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Opens one pool for each server, even if DATABASE_URL and DATABASE_READ_URL both name it. */
function createPools(url: string, readUrls: readonly string[], options: PoolOptions) {
  const all = new Map<string, Pool>()
  const open = (host: string) => all.getOrInsertComputed(host, () => createPool(host, options))
  const hosts = splitHosts(url).map(open)
  const listed = readUrls.map(open)
  /** Hosts that are read if there is no primary. */
  const standbys = hosts.length > 1 ? hosts.filter((host) => !listed.includes(host)) : []
  return { hosts, listed, standbys, all: [...all.values()] }
}

/** Clears caches after changes by other nodes, and after a server was replaced, restarted or unavailable. */
function watch(
  primary: Pool,
  readable: readonly Pool[],
  replicas: ReturnType<typeof createReplicas>,
  { forgetKeys, forgetListing }: { forgetKeys: () => void; forgetListing: () => void },
): void {
  let keysVersion: number | undefined
  let wasDiverged = false
  primary.watch((health, isOtherServer) => {
    replicas.onPrimary(health)
    if (isOtherServer || health.keys !== keysVersion) forgetKeys()
    if (isOtherServer) forgetListing()
    keysVersion = health.keys
  })
  for (const pool of readable) {
    let keysVersionOfReplica: number | undefined
    pool.watch((health, isOtherServer) => {
      replicas.onReplica(pool, health)
      // If only this node has lost the primary, the replica still receives revocations.
      if (health.keys !== keysVersionOfReplica) forgetKeys()
      if (isOtherServer || replicas.isDiverged() !== wasDiverged) forgetListing()
      wasDiverged = replicas.isDiverged()
      keysVersionOfReplica = health.keys
    })
  }
}

/** If the primary does not respond, a node can still read from a migrated replica or standby. */
async function orReadable(
  prepared: Promise<unknown>,
  readable: readonly Pool[],
  timeout: number,
): Promise<void> {
  const { promise: silence, resolve } = Promise.withResolvers<void>()
  const timer = readable.length > 0 ? after(timeout, resolve) : undefined
  try {
    await Promise.race([prepared, silence])
  } catch (error) {
    const isUnavailable = error instanceof ServiceError && error.code === 'unavailable' && error.cause
    if (!isUnavailable) throw error
  } finally {
    clearTimeout(timer)
  }
  try {
    await Promise.any([prepared, ...readable.map(checkMigrated)])
  } catch {
    // No server can be read. The operator has to solve the error of the primary.
    await prepared
  }
}

async function checkMigrated({ query, name }: Pool): Promise<void> {
  const version = await checkVersion(query, name)
  if (version !== SCHEMA) throw outdatedSchema(name, version, SCHEMA)
}
