import { createHash } from 'node:crypto'
import { readConfig } from '../../config.ts'
import {
  type ApiKey,
  DEFAULT_TIER,
  formatKey,
  KEY_RANDOM_BYTES,
  keyState,
  parseKeyId,
} from '../../domain/api-key.ts'
import { nameDatabase } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import type { Tier } from '../../domain/tier.ts'
import type { Store } from '../../store/store.ts'
import { chooseAction } from '../actions.ts'
import { DATABASE_OPTIONS, parseOptions, refuseExtra, UsageError } from '../args.ts'
import { isoTime } from '../iso-time.ts'
import { parseExpiry, parseGrace, parseName, parseOwner, parseTierName } from '../key-options.ts'
import { openForCommand } from '../open-store.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  name: { type: 'string' },
  expires: { type: 'string' },
  tier: { type: 'string' },
  owner: { type: 'string' },
  grace: { type: 'string' },
  json: { type: 'boolean' },
  ...DATABASE_OPTIONS,
} as const

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>['values']

/** Where a command works. */
type Place = { store: Store; database: string; terminal: Terminal }
type Run = (place: Place) => Promise<void>

export async function keys(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('keys', args, OPTIONS, Number.POSITIVE_INFINITY)
  const { database, tiers } = readConfig(terminal.env, values)
  const [name, ...rest] = positionals
  const { prepare } = chooseAction('keys', ACTIONS, name, values)
  const run = prepare(rest, values, { tiers, now: terminal.now() })
  // Elsewhere a database that is not there is a wrong address: nobody can have a key in it.
  const create = name === 'create'
  await using store = await openForCommand(database, { create })
  await run({ store, database: nameDatabase(database), terminal })
}

type Given = { tiers: readonly Tier[]; now: number }

type Action = {
  takes: readonly string[]
  /** Checks the whole command line before a database is touched. */
  prepare: (rest: string[], values: Values, given: Given) => Run
}

const ACTIONS: Record<string, Action> = {
  create: { takes: ['name', 'expires', 'tier', 'owner', 'json'], prepare: prepareCreate },
  list: { takes: ['json'], prepare: prepareList },
  set: { takes: ['name', 'tier', 'owner', 'json'], prepare: prepareSet },
  rotate: { takes: ['grace', 'expires', 'json'], prepare: prepareRotate },
  revoke: { takes: ['json'], prepare: prepareRevoke },
}

function prepareCreate(rest: string[], values: Values, { tiers, now }: Given): Run {
  refuseExtra('keys', rest)
  if (!values.name?.trim()) throw new UsageError('Say whose key it is: --name NAME.')
  const wanted = {
    name: parseName(values.name),
    tier: values.tier === undefined ? DEFAULT_TIER : parseTierName(values.tier, tiers),
    owner: parseOwner(values.owner ?? ''),
    expiresAt: parseExpiry(values.expires, now),
  }
  return async (place) => {
    const id = await makeKey(place, wanted, values.json === true)
    tellKept(place, values, `This is key ${id} for ${wanted.name}.`)
  }
}

function prepareList(rest: string[], { json }: Values): Run {
  refuseExtra('keys', rest)
  return async ({ store, database, terminal }) => {
    const all = (await store.keys.list()).map((key) => present(key, terminal.now()))
    if (json) return terminal.out(`${JSON.stringify(all)}\n`)
    if (all.length === 0)
      return terminal.err(`There are no keys in ${database} yet: "keys create --name NAME" makes one.\n`)
    const head = ['ID', 'NAME', 'STATE', 'TIER', 'OWNER', 'CREATED', 'EXPIRES', 'LAST USED']
    terminal.out(formatTable([head, ...all.map(toRow)]))
  }
}

function prepareSet(rest: string[], values: Values, { tiers }: Given): Run {
  const id = parseId('set', rest)
  const change = {
    ...(values.name !== undefined && { name: parseName(values.name) }),
    ...(values.tier !== undefined && { tier: parseTierName(values.tier, tiers) }),
    ...(values.owner !== undefined && { owner: parseOwner(values.owner) }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Say what to change: --tier NAME, --owner EMAIL or --name NAME.')
  return async (place) => {
    if (!(await place.store.keys.update(id, change))) throw noKey(id, place)
    place.terminal.err(`Key ${id} is changed.\n`)
  }
}

function prepareRotate(rest: string[], values: Values, { now }: Given): Run {
  const id = parseId('rotate', rest)
  const endsAt = now + parseGrace(values.grace ?? '7d')
  const expiresAt = parseExpiry(values.expires, now)
  return async (place) => {
    const old = await findRotatable(place, id, now)
    const { name, tier, owner } = old
    const wanted = { name, tier, owner, expiresAt: expiresAt ?? old.expiresAt }
    const made = await makeKey(place, wanted, values.json === true)
    // The old key ends only when the new one is there and printed.
    if (!(await place.store.keys.replace(id, made, endsAt))) {
      await place.store.keys.revoke(made, now)
      throw new CommandError(`Key ${id} was rotated by somebody else just now: key ${made} is revoked.`)
    }
    await exemptToo(place.store, id, made)
    const last = Math.min(endsAt, old.expiresAt ?? endsAt)
    const end = last <= now ? 'which has ended' : `which works until ${formatInstant(last)}`
    const expiry = wanted.expiresAt === undefined ? '' : ` It expires ${formatInstant(wanted.expiresAt)}.`
    tellKept(place, values, `This is key ${made} for ${printable(name)}, in place of ${id}, ${end}.${expiry}`)
  }
}

function prepareRevoke(rest: string[]): Run {
  const id = parseId('revoke', rest)
  return async (place) => {
    if (!(await place.store.keys.revoke(id, place.terminal.now()))) throw noKey(id, place)
    place.terminal.err(`Key ${id} is revoked.\n`)
  }
}

/** The whole key will do as well. */
function parseId(action: string, [id, ...extra]: string[]): string {
  if (id === undefined)
    throw new UsageError(`Name the key: passportd keys ${action} ID. "keys list" shows the ids.`)
  refuseExtra('keys', extra)
  return parseKeyId(id) ?? id
}

/** What looks like a whole key is not repeated: it may be another's. */
const noKey = (id: string, { database }: Place) =>
  new CommandError(
    `There is no key "${id.replace(/^(ppd_[^_]*_).+/s, '$1…')}" in ${database}: "keys list" shows the ids.`,
  )

type NewKey = Pick<ApiKey, 'name' | 'tier' | 'owner'> & { expiresAt: number | undefined }

/** Prints the key, and gives back its id. One that could not be printed is not left working. */
async function makeKey({ store, terminal }: Place, wanted: NewKey, json: boolean): Promise<string> {
  const { id, key } = formatKey(terminal.random(KEY_RANDOM_BYTES))
  const hash = createHash('sha256').update(key).digest()
  const { expiresAt, ...rest } = wanted
  const made: ApiKey = { ...rest, id, hash, createdAt: terminal.now() }
  if (expiresAt !== undefined) made.expiresAt = expiresAt
  await store.keys.create(made)
  try {
    terminal.out(json ? `${JSON.stringify({ key, ...present(made, terminal.now()) })}\n` : `${key}\n`)
  } catch (error) {
    await store.keys.revoke(id, terminal.now())
    throw new CommandError(`The key could not be printed, and was revoked: ${(error as Error).message}.`)
  }
  return id
}

function tellKept({ terminal }: Place, { json }: Values, sentence: string): void {
  if (json) return
  terminal.err(`${sentence} Keep it: it cannot be shown again. Send it as X-API-KEY.\n`)
}

async function findRotatable(place: Place, id: string, now: number): Promise<ApiKey> {
  const old = await place.store.keys.find(id)
  if (!old) throw noKey(id, place)
  const state = keyState(old, now)
  if (state !== 'active')
    throw new CommandError(`Key ${id} is ${state} and cannot be rotated: make another with "keys create".`)
  // It has an end by now, which a second key would share, while the first one went on, forgotten.
  if (old.successor !== undefined) {
    throw new CommandError(
      `Key ${id} was rotated already: rotate key ${old.successor}, which took its place, or make another with "keys create".`,
    )
  }
  return old
}

/** A key that brown-outs spare is spared under its new id, too. */
async function exemptToo({ retirement }: Store, id: string, made: string): Promise<void> {
  const plan = await retirement.find()
  if (plan?.exempt.includes(id)) await retirement.save({ ...plan, exempt: [...plan.exempt, made] })
}

function toRow({ id, name, state, tier, owner, ...times }: ReturnType<typeof present>): string[] {
  const days = [times.created_at, times.expires_at, times.last_used_at].map((time) => time?.slice(0, 10))
  return [id, printable(name), state, tier, printable(owner) || '-', ...days.map((day) => day ?? 'never')]
}

function present(key: ApiKey, now: number) {
  return {
    id: key.id,
    name: key.name,
    state: keyState(key, now),
    tier: key.tier,
    owner: key.owner,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
    last_used_at: isoTime(key.lastUsedAt),
  }
}
