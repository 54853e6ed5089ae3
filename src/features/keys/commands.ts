import { createHash, randomBytes } from 'node:crypto'
import { CommandError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { formatDuration } from '../../core/basics/text/duration.ts'
import { formatInstant } from '../../core/basics/text/instant.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { defineCommand, UsageError } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import {
  type ApiKey,
  DEFAULT_SCOPES,
  DEFAULT_TIER,
  formatKey,
  isPublishable,
  KEY_RANDOM_BYTES,
  keyState,
  parseKeyId,
} from '../../core/store/api-key.ts'
import type { Feature } from '../../feature.ts'
import { type KeyTask, listKeys, presentKey } from './key-list.ts'
import { checkGrants, futureExpiry, KEY_OPTIONS, parseTier } from './key-options.ts'

export const createKeys = (features: readonly Feature[]) =>
  defineCommand({
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
    async run({ values, args: [argument = ''], action }, terminal) {
      await using database = await openConfigured(terminal, values)
      // A whole key is also accepted instead of its id.
      const id = parseKeyId(argument) ?? argument
      await ACTIONS[action]({ ...database, values, id, now: terminal.now(), terminal, features })
    },
  })

const ACTIONS = {
  async create(task) {
    const { values, now, config } = task
    const grants = {
      name: values.name ?? '',
      tier: values.tier === undefined ? DEFAULT_TIER : parseTier(values.tier, config.tiers),
      owner: values.owner ?? '',
      scopes: values.scope ?? DEFAULT_SCOPES,
      origins: values.origin ?? [],
      types: values.types ?? [],
      expiresAt: futureExpiry(values, now) ?? undefined,
    }
    checkGrants(grants, values.publishable === true)
    const id = await makeKey(task, grants)
    printAdvice(task, `This is key ${id} for ${grants.name}.`)
  },

  list: listKeys,

  async set({ values, id, now, store, name: database, config, terminal }) {
    const { name, tier, owner, scope, origin, types } = values
    const change = {
      ...{ name, owner, scopes: scope, origins: origin, types },
      tier: tier === undefined ? undefined : parseTier(tier, config.tiers),
      expiresAt: futureExpiry(values, now),
    }
    if (Object.values(change).every((value) => value === undefined))
      throw new UsageError(
        '"keys set" needs at least one of --tier NAME, --owner EMAIL, --name NAME, --expires DATE, --scope LIST, --types LIST and --origin LIST.',
      )
    const old = await store.keys.find(id)
    if (!old) throw noKey(id, database)
    const { scopes = old.scopes, origins = old.origins } = change
    checkGrants({ scopes, origins, types: types ?? old.types }, isPublishable(old))
    if (!(await store.keys.update(id, change))) throw notUsable(id, 'revoked', 'changed')
    terminal.err(`Key ${id} is changed.\n`)
  },

  async rotate(task) {
    const { features, values, id, now, store } = task
    const endsAt = now + values.grace
    const expiresAt = futureExpiry(values, now)
    const old = await findRotatable(task)
    const { name, tier, owner, scopes, origins, types } = old
    const grants = {
      ...{ name, tier, owner, scopes, origins, types },
      expiresAt: expiresAt === undefined ? old.expiresAt : (expiresAt ?? undefined),
    }
    const made = await makeKey(task, grants)
    // The old key must stay valid until the new key is stored and printed.
    if (!(await store.keys.replace(id, made, endsAt))) {
      await store.keys.revoke(made, now)
      throw new CommandError(
        `Key ${id} was rotated by another process at the same time: the new key ${made} is revoked.`,
      )
    }
    for (const { passOnKey } of features) await (await passOnKey?.())?.(store, id, made)
    const last = Math.min(endsAt, old.expiresAt ?? endsAt)
    const end = last <= now ? 'which is no longer valid' : `valid until ${formatInstant(last)}`
    const expiry = grants.expiresAt === undefined ? '' : ` It expires ${formatInstant(grants.expiresAt)}.`
    printAdvice(task, `This is key ${made} for ${printable(name)}, which replaces ${id}, ${end}.${expiry}`)
  },

  async revoke({ id, now, store, name, terminal }) {
    if (!(await store.keys.revoke(id, now))) throw noKey(id, name)
    terminal.err(`Key ${id} is revoked.\n`)
  },

  async purge({ values: { 'older-than': length }, now, store, terminal }) {
    const deleted = await store.keys.purge(now - length)
    terminal.err(`${count(deleted, 'key')} deleted that ended more than ${formatDuration(length)} ago.\n`)
  },
} satisfies Record<string, (task: KeyTask) => Promise<void>>

/** The error for an unknown id. It hides the secret part of a whole key. */
const noKey = (id: string, database: string) =>
  new CommandError(
    `There is no key "${id.replace(/^(ppdp?_[^_]*_).+/s, '$1…')}" in ${database}: "keys list" shows the ids.`,
  )

const notUsable = (id: string, state: string, action: string) =>
  new CommandError(`Key ${id} is ${state} and cannot be ${action}: create another key with "keys create".`)

type NewKey = Omit<ApiKey, 'id' | 'hash' | 'createdAt' | 'expiresAt'> & { expiresAt: number | undefined }

/** Creates a key, prints it and returns its id. A key that cannot be printed is revoked. */
async function makeKey({ store, terminal, values, now }: KeyTask, grants: NewKey): Promise<string> {
  const { id, key } = formatKey(randomBytes(KEY_RANDOM_BYTES), isPublishable(grants) ? 'ppdp' : 'ppd')
  const hash = createHash('sha256').update(key).digest()
  const { expiresAt, ...rest } = grants
  const made: ApiKey = { ...rest, ...(expiresAt !== undefined && { expiresAt }), id, hash, createdAt: now }
  await store.keys.create(made)
  try {
    terminal.out(values.json ? toJsonText({ key, ...presentKey(made, now) }) : `${key}\n`)
  } catch (error) {
    await store.keys.revoke(id, now)
    throw new CommandError(`The key could not be printed, and was revoked: ${(error as Error).message}.`)
  }
  return id
}

function printAdvice({ terminal, values }: KeyTask, sentence: string): void {
  if (values.json) return
  terminal.err(`${sentence} Keep it: it cannot be shown again. Send it as X-API-KEY.\n`)
}

async function findRotatable({ store, name, id, now }: KeyTask): Promise<ApiKey> {
  const old = await store.keys.find(id)
  if (!old) throw noKey(id, name)
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
