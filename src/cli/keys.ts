import { createHash } from 'node:crypto'
import { readConfig } from '../config.ts'
import {
  type ApiKey,
  DEFAULT_TIER,
  formatKey,
  KEY_RANDOM_BYTES,
  keyState,
  parseKeyId,
} from '../domain/api-key.ts'
import { nameDatabase } from '../domain/database-address.ts'
import { parseInstant } from '../domain/instant.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { KEYS_HELP } from './help.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { CommandError, DATABASE_OPTIONS, parseOptions, refuseExtra, UsageError } from './usage.ts'

const OPTIONS = {
  name: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...DATABASE_OPTIONS,
} as const

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>['values']

export async function keys(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('keys', args, OPTIONS)
  const [action, ...rest] = positionals
  if (values.help) return terminal.out(KEYS_HELP)
  const run = prepare(action, rest, values, terminal)
  const { database } = readConfig(terminal.env, { demo: values.demo === true })
  const store = await openStore(database)
  try {
    await run(store, nameDatabase(database))
  } finally {
    await store.close()
  }
}

/** Checks the whole command line before a database is touched. */
function prepare(action: string | undefined, rest: string[], values: Values, terminal: Terminal) {
  const json = values.json === true
  if (action === 'create') {
    refuseExtra('keys', rest)
    const name = parseName(values.name)
    const expiresAt = parseExpiry(values.expires, terminal.now())
    return (store: Store, _database: string) => createKey(store, terminal, { name, expiresAt, json })
  }
  if (values.name !== undefined || values.expires !== undefined) {
    throw new UsageError('--name and --expires are for "keys create" alone.')
  }
  if (action === 'list') {
    refuseExtra('keys', rest)
    return (store: Store, database: string) => listKeys(store, database, terminal, json)
  }
  if (action === 'revoke') {
    const [id, ...extra] = rest
    if (id === undefined)
      throw new UsageError('Name the key: passportd keys revoke ID. "keys list" shows the ids.')
    refuseExtra('keys', extra)
    return (store: Store, database: string) => revokeKey(store, database, terminal, parseKeyId(id) ?? id)
  }
  throw new UsageError(
    action === undefined
      ? 'Say what to do: passportd keys create, list or revoke.'
      : `There is no "keys ${action}": use create, list or revoke.`,
  )
}

type NewKey = { name: string; expiresAt: number | undefined; json: boolean }

async function createKey(store: Store, terminal: Terminal, { name, expiresAt, json }: NewKey) {
  const { id, key } = formatKey(terminal.random(KEY_RANDOM_BYTES))
  const hash = createHash('sha256').update(key).digest()
  const made: ApiKey = {
    id,
    name,
    hash,
    tier: DEFAULT_TIER,
    owner: '',
    createdAt: terminal.now(),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  await store.keys.create(made)
  try {
    terminal.out(json ? `${JSON.stringify({ key, ...present(made, terminal.now()) })}\n` : `${key}\n`)
  } catch (error) {
    await store.keys.revoke(id, terminal.now())
    throw new CommandError(`The key could not be printed, and was revoked: ${(error as Error).message}.`)
  }
  if (json) return
  terminal.err(`This is key ${id} for ${name}. Keep it: it cannot be shown again. Send it as X-API-KEY.\n`)
}

async function listKeys(store: Store, database: string, terminal: Terminal, json: boolean) {
  const all = (await store.keys.list()).map((key) => present(key, terminal.now()))
  if (json) return terminal.out(`${JSON.stringify(all)}\n`)
  if (all.length === 0)
    return terminal.err(`There are no keys in ${database} yet: "keys create --name NAME" makes one.
`)
  const rows = all.map((key) => [
    key.id,
    key.name,
    key.state,
    day(key.created_at),
    day(key.expires_at) || 'never',
  ])
  terminal.out(formatTable([['ID', 'NAME', 'STATE', 'CREATED', 'EXPIRES'], ...rows]))
}

async function revokeKey(store: Store, database: string, terminal: Terminal, id: string) {
  if (!(await store.keys.revoke(id, terminal.now()))) {
    throw new CommandError(`There is no key "${id}" in ${database}: "keys list" shows the ids.`)
  }
  terminal.err(`Key ${id} is revoked.\n`)
}

function present(key: ApiKey, now: number) {
  return {
    id: key.id,
    name: key.name,
    state: keyState(key, now),
    created_at: instant(key.createdAt),
    expires_at: instant(key.expiresAt),
    revoked_at: instant(key.revokedAt),
  }
}

const instant = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())
const day = (time: string | null) => time?.slice(0, 10) ?? ''

const LONGEST_NAME = 100

function parseName(text: string | undefined): string {
  const name = text?.trim() ?? ''
  if (name === '') throw new UsageError('Say whose key it is: --name NAME.')
  if (name.length > LONGEST_NAME || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name)) {
    throw new UsageError(`--name must be one line of at most ${LONGEST_NAME} characters.`)
  }
  return name
}

function parseExpiry(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const time = parseInstant(text)
  if (time === undefined || time <= now) {
    throw new UsageError(`--expires must be a day or an instant to come, such as 2027-01-31, got "${text}".`)
  }
  return time
}
