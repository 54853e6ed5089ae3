import { ServiceError } from '../../domain/errors.ts'
import passports from '../migrations/postgres/0001-passports.sql' with { type: 'text' }
import type { Link } from './link.ts'
import { lock, MIGRATE } from './locks.ts'
import type { Query } from './query.ts'

/** In order; the number of the last one applied stands in the table `passportd`. */
const MIGRATIONS = [passports]

const OLDEST_SERVER = 14

/** Brings the database up to date. Safe when several nodes do it at once: the lock lets in one. */
export async function migrate(link: Link, name: string): Promise<void> {
  if ((await checkVersion(link.query, name)) === MIGRATIONS.length) return
  try {
    await link.transaction(async (query) => {
      await lock(query, MIGRATE)
      const version = await checkVersion(query, name)
      for (const sql of MIGRATIONS.slice(version)) await query(sql)
      await query('create table if not exists passportd (version integer not null)')
      await query('delete from passportd')
      await query('insert into passportd (version) values ($1)', [MIGRATIONS.length])
    })
  } catch (error) {
    throw explain(error, name)
  }
}

/** Throws unless this program can work with the database; 0 is one that has nothing of ours yet. */
export async function checkVersion(query: Query, name: string): Promise<number> {
  const [server] = await query<{ number: number; ours: boolean }>(
    `select current_setting('server_version_num')::integer as number, to_regclass('passportd') is not null as ours`,
  )
  const release = Math.floor((server?.number ?? 0) / 10_000)
  if (release < OLDEST_SERVER) {
    throw new ServiceError(
      'unavailable',
      `${name} runs PostgreSQL ${release}: ${OLDEST_SERVER} or later is needed.`,
    )
  }
  if (!server?.ours) return 0
  const [row] = await query<{ version: number }>('select version from passportd')
  const version = row?.version ?? 0
  if (version > MIGRATIONS.length) {
    throw new ServiceError(
      'unavailable',
      `${name} was written by a newer passportd (schema ${version}, this one knows ${MIGRATIONS.length}): run the newer one.`,
    )
  }
  return version
}

function explain(error: unknown, name: string): unknown {
  const { errno, message } = error as { errno?: string; message: string }
  const sentence = explanation(errno ?? '', message)
  return sentence === undefined
    ? error
    : new ServiceError('unavailable', `${name} ${sentence}`, { cause: error })
}

function explanation(errno: string, message: string): string | undefined {
  if (errno === '42501') {
    return /extension/.test(message)
      ? 'has no extension pg_trgm, and this role may not create it: let a superuser run "create extension pg_trgm" there once.'
      : `cannot be prepared: ${message}. The role needs the right to create tables in its schema.`
  }
  // The extension's files are not on the server.
  if (/^(58P01|0A000)$/.test(errno) && /pg_trgm/.test(message)) {
    return 'has no extension pg_trgm to offer: install the package postgresql-contrib on its server.'
  }
  if (errno === '42P07') {
    return `holds tables of another program: ${message}. Give passportd a database, or a schema, of its own.`
  }
  return undefined
}
