import { createHash, randomBytes } from 'node:crypto'
import { readConfig } from '../../config/config.ts'
import {
  type ApiKey,
  DEFAULT_SCOPES,
  DEFAULT_TIER,
  formatKey,
  isPublishable,
  KEY_RANDOM_BYTES,
  keyState,
  parseKeyId,
} from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import type { Tier } from '../../domain/rate-limit-tier.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { printable } from '../../domain/text/quote.ts'
import { defineCommand, UsageError } from '../command.ts'
import { type KeyTarget, listKeys, presentKey } from '../key-list.ts'
import { checkGrants, futureExpiry, KEY_OPTIONS, type KeyValues, parseTier } from '../key-options.ts'
import { openConfigured } from '../open-store.ts'

export const keys = defineCommand({
  name: 'keys',
  summary: 'manage API keys',
  description: `create and rotate print the key on standard output, once: it cannot be shown again.
    Running servers apply every change at once.`,
  options: KEY_OPTIONS,
  forms: [
    {
      action: 'create',
      required: ['name'],
      options: ['tier', 'owner', 'expires', 'scope', 'types', 'publishable', 'origin', 'json'],
    },
    {
      action: 'list',
      options: ['active', 'tier', 'owner', 'json'],
      about: 'also shows what is left of monthly quotas',
    },
    {
      action: 'set',
      args: 'ID',
      options: ['tier', 'owner', 'name', 'expires', 'scope', 'types', 'origin', 'json'],
    },
    { action: 'rotate', args: 'ID', options: ['grace', 'expires', 'json'] },
    { action: 'revoke', args: 'ID', options: ['json'] },
    { action: 'purge', options: ['older-than'], about: 'deletes revoked and expired keys' },
  ],
  examples: [
    'passportd keys create --name me --tier high --expires 2027-01-31',
    'passportd keys create --name feed --scope read,events',
    'passportd keys create --name site --publishable --origin https://app.example.com',
  ],
  async run({ values, args: [given = ''], action }, terminal) {
    const { tiers } = readConfig(terminal.env, values)
    // A whole key is also accepted instead of its id.
    const id = parseKeyId(given) ?? given
    const task = ACTIONS[action]({ values, id, tiers, now: terminal.now() })
    await using database = await openConfigured(terminal, values)
    await task({ store: database.store, database: database.name, terminal })
  },
})

type Given = { values: KeyValues; id: string; tiers: readonly Tier[]; now: number }

/** An action checks its options before the database is opened, and returns a task that uses the database. */
type KeyAction = (given: Given) => (target: KeyTarget) => Promise<void>

const ACTIONS = {
  create: ({ values, tiers, now }) => {
    const wanted = {
      name: values.name ?? '',
      tier: values.tier === undefined ? DEFAULT_TIER : parseTier(values.tier, tiers),
      owner: values.owner ?? '',
      scopes: values.scope ?? DEFAULT_SCOPES,
      origins: values.origin ?? [],
      types: values.types ?? [],
      expiresAt: futureExpiry(values, now) ?? undefined,
    }
    checkGrants(wanted, values.publishable === true)
    return async (target) => {
      const id = await makeKey(target, wanted, values.json === true)
      printAdvice(target, values, `This is key ${id} for ${wanted.name}.`)
    }
  },

  list: (given) => (target) => listKeys(target, given),

  set: ({ values, id, tiers, now }) => {
    const { name, tier, owner, scope, origin, types } = values
    const expiresAt = futureExpiry(values, now)
    const change = {
      ...(name !== undefined && { name }),
      ...(tier !== undefined && { tier: parseTier(tier, tiers) }),
      ...(owner !== undefined && { owner }),
      ...(scope !== undefined && { scopes: scope }),
      ...(origin !== undefined && { origins: origin }),
      ...(types !== undefined && { types }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
    if (Object.keys(change).length === 0)
      throw new UsageError(
        '"keys set" needs at least one of --tier NAME, --owner EMAIL, --name NAME, --expires DATE, --scope LIST, --types LIST and --origin LIST.',
      )
    return async (target) => {
      const old = await target.store.keys.find(id)
      if (!old) throw noKey(id, target)
      checkGrants({ ...old, ...change }, isPublishable(old))
      if (!(await target.store.keys.update(id, change))) throw notUsable(id, 'revoked', 'changed')
      target.terminal.err(`Key ${id} is changed.\n`)
    }
  },

  rotate: ({ values, id, now }) => {
    const endsAt = now + values.grace
    const expiresAt = futureExpiry(values, now)
    return async (target) => {
      const old = await findRotatable(target, id, now)
      const { name, tier, owner, scopes, origins, types } = old
      const wanted = {
        ...{ name, tier, owner, scopes, origins, types },
        expiresAt: expiresAt === undefined ? old.expiresAt : (expiresAt ?? undefined),
      }
      const made = await makeKey(target, wanted, values.json === true)
      // The old key must stay valid until the new key is stored and printed.
      if (!(await target.store.keys.replace(id, made, endsAt))) {
        await target.store.keys.revoke(made, now)
        throw new CommandError(
          `Key ${id} was rotated by another process at the same time: the new key ${made} is revoked.`,
        )
      }
      const plan = await target.store.retirement.find()
      // The successor of an exempt key is exempt, too.
      if (plan?.exempt.includes(id))
        await target.store.retirement.save({ ...plan, exempt: [...plan.exempt, made] })
      const last = Math.min(endsAt, old.expiresAt ?? endsAt)
      const end = last <= now ? 'which is no longer valid' : `valid until ${formatInstant(last)}`
      const expiry = wanted.expiresAt === undefined ? '' : ` It expires ${formatInstant(wanted.expiresAt)}.`
      const sentence = `This is key ${made} for ${printable(name)}, which replaces ${id}, ${end}.${expiry}`
      printAdvice(target, values, sentence)
    }
  },

  revoke:
    ({ id, now }) =>
    async (target) => {
      if (!(await target.store.keys.revoke(id, now))) throw noKey(id, target)
      target.terminal.err(`Key ${id} is revoked.\n`)
    },

  purge:
    ({ values: { 'older-than': length }, now }) =>
    async ({ store, terminal }) => {
      const deleted = await store.keys.purge(now - length)
      terminal.err(`${count(deleted, 'key')} deleted that ended more than ${formatDuration(length)} ago.\n`)
    },
} satisfies Record<string, KeyAction>

/** The error for an unknown id. It hides the secret part of a whole key. */
const noKey = (id: string, { database }: KeyTarget) =>
  new CommandError(
    `There is no key "${id.replace(/^(ppdp?_[^_]*_).+/s, '$1…')}" in ${database}: "keys list" shows the ids.`,
  )

const notUsable = (id: string, state: string, action: string) =>
  new CommandError(`Key ${id} is ${state} and cannot be ${action}: create another key with "keys create".`)

type NewKey = Pick<ApiKey, 'name' | 'tier' | 'owner' | 'scopes' | 'origins' | 'types'> & {
  expiresAt: number | undefined
}

/** Creates a key, prints it and returns its id. A key that cannot be printed is revoked. */
async function makeKey({ store, terminal }: KeyTarget, wanted: NewKey, json: boolean): Promise<string> {
  const { id, key } = formatKey(randomBytes(KEY_RANDOM_BYTES), isPublishable(wanted) ? 'ppdp' : 'ppd')
  const hash = createHash('sha256').update(key).digest()
  const { expiresAt, ...rest } = wanted
  const expiry = expiresAt === undefined ? {} : { expiresAt }
  const made: ApiKey = { ...rest, ...expiry, id, hash, createdAt: terminal.now() }
  await store.keys.create(made)
  try {
    terminal.out(json ? `${JSON.stringify({ key, ...presentKey(made, terminal.now()) })}\n` : `${key}\n`)
  } catch (error) {
    await store.keys.revoke(id, terminal.now())
    throw new CommandError(`The key could not be printed, and was revoked: ${(error as Error).message}.`)
  }
  return id
}

function printAdvice({ terminal }: KeyTarget, { json }: KeyValues, sentence: string): void {
  if (json) return
  terminal.err(`${sentence} Keep it: it cannot be shown again. Send it as X-API-KEY.\n`)
}

async function findRotatable(target: KeyTarget, id: string, now: number): Promise<ApiKey> {
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
