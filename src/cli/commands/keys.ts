import { createHash } from 'node:crypto'
import { readConfig } from '../../config/config.ts'
import { nameDatabase } from '../../config/database-address.ts'
import {
  type ApiKey,
  DEFAULT_TIER,
  formatKey,
  KEY_RANDOM_BYTES,
  keyState,
  parseKeyId,
} from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import { parseDuration } from '../../domain/text/duration.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import type { Tier } from '../../domain/tier.ts'
import type { Store } from '../../store/store.ts'
import {
  DATABASE_OPTIONS,
  defineCommand,
  invalidValue,
  JSON_OPTION,
  UsageError,
  type Values,
} from '../command.ts'
import {
  LONGEST_NAME,
  parseExpiry,
  parseGrace,
  parseName,
  parseOwner,
  selectableTiers,
} from '../key-options.ts'
import { prepareList, preparePurge, presentKey } from '../keys/key-list.ts'
import { openForCommand } from '../open-store.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  name: {
    placeholder: 'NAME',
    accepts: `one line of 1 to ${LONGEST_NAME} characters`,
    parse: parseName,
    about: 'name of the client or person that uses the key',
  },
  tier: { placeholder: 'NAME', about: 'tier of the key: standard, high, unlimited or one of TIERS' },
  owner: {
    placeholder: 'EMAIL',
    accepts: 'an email address, such as ada@example.com',
    parse: parseOwner,
    about: 'contact address; "" for none',
  },
  expires: {
    placeholder: 'DATE',
    accepts: 'a future day or time, such as 2027-01-31, or never',
    parse: parseExpiry,
    about:
      'end of validity: 2027-01-31 (00:00 UTC), 2027-01-31T12:00:00Z or never. A time without an offset is in UTC. A rotated key keeps the date of the old key by default',
  },
  grace: {
    placeholder: 'TIME',
    default: '7d',
    accepts: 'a duration of at most a year, such as 7d, 12h, 30m or 0',
    parse: parseGrace,
    about: 'how long the old key stays valid: 7d, 12h, 30m, 90s; 0 ends it at once',
  },
  active: { about: 'list only keys that are valid' },
  'older-than': {
    placeholder: 'TIME',
    default: '30d',
    accepts: 'a duration, such as 30d or 12h',
    parse: parseDuration,
    about: 'delete keys that were revoked or expired longer ago: 30d, 12h',
  },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export type KeyValues = Values<typeof OPTIONS>

export const keys = defineCommand({
  name: 'keys',
  summary: 'manage API keys',
  description: `create and rotate print the key on standard output, once: it cannot be shown again.
    Running servers apply every change at once.`,
  options: OPTIONS,
  forms: [
    { action: 'create', required: ['name'], options: ['tier', 'owner', 'expires', 'json'] },
    {
      action: 'list',
      options: ['active', 'tier', 'owner', 'json'],
      about: 'with the rest of monthly quotas',
    },
    { action: 'set', args: 'ID', options: ['tier', 'owner', 'name', 'expires', 'json'] },
    { action: 'rotate', args: 'ID', options: ['grace', 'expires', 'json'] },
    { action: 'revoke', args: 'ID', options: ['json'] },
    { action: 'purge', options: ['older-than'], about: 'deletes revoked and expired keys' },
  ],
  examples: ['passportd keys create --name me --tier high --expires 2027-01-31'],
  async run({ values, args: [given = ''], action }, terminal) {
    const { database, tiers } = readConfig(terminal.env, values)
    // A whole key is accepted as an id, too.
    const id = parseKeyId(given) ?? given
    const run = ACTIONS[action](values, { id, tiers, now: terminal.now() })
    // A missing database means a wrong DATABASE_URL.
    await using store = await openForCommand(database)
    await run({ store, database: nameDatabase(database), terminal })
  },
})

type Target = { store: Store; database: string; terminal: Terminal }
type Run = (target: Target) => Promise<void>

type Given = { id: string; tiers: readonly Tier[]; now: number }

export type KeyAction = (values: KeyValues, given: Given) => Run

/** Each action checks its options before the database is opened. */
const ACTIONS = {
  create: prepareCreate,
  list: prepareList,
  set: prepareSet,
  rotate: prepareRotate,
  revoke: prepareRevoke,
  purge: preparePurge,
} satisfies Record<string, KeyAction>

function parseTier(text: string, tiers: readonly Tier[]): string {
  const names = selectableTiers(tiers)
  if (names.includes(text)) return text
  throw invalidValue(`--tier must be one of ${names.join(', ')} (TIERS defines others)`, text)
}

/** `null` means never. */
function futureExpiry({ expires }: KeyValues, now: number): number | null | undefined {
  if (expires === undefined || expires === null || expires > now) return expires
  throw invalidValue('--expires must be in the future', new Date(expires).toISOString())
}

function prepareCreate(values: KeyValues, { tiers, now }: Given): Run {
  const wanted = {
    name: values.name ?? '',
    tier: values.tier === undefined ? DEFAULT_TIER : parseTier(values.tier, tiers),
    owner: values.owner ?? '',
    expiresAt: futureExpiry(values, now) ?? undefined,
  }
  return async (target) => {
    const id = await makeKey(target, wanted, values.json === true)
    printAdvice(target, values, `This is key ${id} for ${wanted.name}.`)
  }
}

function prepareSet(values: KeyValues, { id, tiers, now }: Given): Run {
  const { name, tier, owner } = values
  const expiresAt = futureExpiry(values, now)
  const change = {
    ...(name !== undefined && { name }),
    ...(tier !== undefined && { tier: parseTier(tier, tiers) }),
    ...(owner !== undefined && { owner }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError(
      '"keys set" needs at least one of --tier NAME, --owner EMAIL, --name NAME and --expires DATE.',
    )
  return async (target) => {
    if (!(await target.store.keys.update(id, change)))
      throw (await target.store.keys.find(id)) ? notUsable(id, 'revoked', 'changed') : noKey(id, target)
    target.terminal.err(`Key ${id} is changed.\n`)
  }
}

function prepareRotate(values: KeyValues, { id, now }: Given): Run {
  const endsAt = now + values.grace
  const expiresAt = futureExpiry(values, now)
  return async (target) => {
    const old = await findRotatable(target, id, now)
    const { name, tier, owner } = old
    const wanted = {
      name,
      tier,
      owner,
      expiresAt: expiresAt === undefined ? old.expiresAt : (expiresAt ?? undefined),
    }
    const made = await makeKey(target, wanted, values.json === true)
    // The old key must not end before the new key is stored and printed.
    if (!(await target.store.keys.replace(id, made, endsAt))) {
      await target.store.keys.revoke(made, now)
      throw new CommandError(
        `Key ${id} was rotated by another process at the same time: the new key ${made} is revoked.`,
      )
    }
    await exemptSuccessor(target.store, id, made)
    const last = Math.min(endsAt, old.expiresAt ?? endsAt)
    const end = last <= now ? 'which is no longer valid' : `valid until ${formatInstant(last)}`
    const expiry = wanted.expiresAt === undefined ? '' : ` It expires ${formatInstant(wanted.expiresAt)}.`
    printAdvice(
      target,
      values,
      `This is key ${made} for ${printable(name)}, which replaces ${id}, ${end}.${expiry}`,
    )
  }
}

function prepareRevoke(_: KeyValues, { id }: Given): Run {
  return async (target) => {
    if (!(await target.store.keys.revoke(id, target.terminal.now()))) throw noKey(id, target)
    target.terminal.err(`Key ${id} is revoked.\n`)
  }
}

/** Hides the secret part of a whole key. */
const noKey = (id: string, { database }: Target) =>
  new CommandError(
    `There is no key "${id.replace(/^(ppd_[^_]*_).+/s, '$1…')}" in ${database}: "keys list" shows the ids.`,
  )

const notUsable = (id: string, state: string, action: string) =>
  new CommandError(`Key ${id} is ${state} and cannot be ${action}: create another key with "keys create".`)

type NewKey = Pick<ApiKey, 'name' | 'tier' | 'owner'> & { expiresAt: number | undefined }

/** Prints the key and returns its id. A key that cannot be printed is revoked. */
async function makeKey({ store, terminal }: Target, wanted: NewKey, json: boolean): Promise<string> {
  const { id, key } = formatKey(terminal.random(KEY_RANDOM_BYTES))
  const hash = createHash('sha256').update(key).digest()
  const { expiresAt, ...rest } = wanted
  const made: ApiKey = { ...rest, id, hash, createdAt: terminal.now() }
  if (expiresAt !== undefined) made.expiresAt = expiresAt
  await store.keys.create(made)
  try {
    terminal.out(json ? `${JSON.stringify({ key, ...presentKey(made, terminal.now()) })}\n` : `${key}\n`)
  } catch (error) {
    await store.keys.revoke(id, terminal.now())
    throw new CommandError(`The key could not be printed, and was revoked: ${(error as Error).message}.`)
  }
  return id
}

function printAdvice({ terminal }: Target, { json }: KeyValues, sentence: string): void {
  if (json) return
  terminal.err(`${sentence} Keep it: it cannot be shown again. Send it as X-API-KEY.\n`)
}

async function findRotatable(target: Target, id: string, now: number): Promise<ApiKey> {
  const old = await target.store.keys.find(id)
  if (!old) throw noKey(id, target)
  const state = keyState(old, now)
  if (state !== 'active') throw notUsable(id, state, 'rotated')
  // A second rotation would leave the first successor valid and forgotten.
  if (old.successor !== undefined) {
    throw new CommandError(
      `Key ${id} was already rotated: rotate its successor ${old.successor}, or create another key with "keys create".`,
    )
  }
  return old
}

/** The successor of an exempt key is exempt, too. */
async function exemptSuccessor({ retirement }: Store, id: string, made: string): Promise<void> {
  const plan = await retirement.find()
  if (plan?.exempt.includes(id)) await retirement.save({ ...plan, exempt: [...plan.exempt, made] })
}
