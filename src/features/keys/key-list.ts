import { number } from '../../core/basics/text/counts-and-sizes.ts'
import { dayOf, isoTime } from '../../core/basics/text/instant.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import type { Terminal } from '../../core/cli/command.ts'
import type { OpenDatabase } from '../../core/cli/open-store.ts'
import { formatTable } from '../../core/cli/table.ts'
import type { Tier } from '../../core/config/rate-limit-tier.ts'
import { type ApiKey, keyState } from '../../core/store/api-key.ts'
import type { Store } from '../../core/store/store.ts'
import type { Feature } from '../../feature.ts'
import type { KeyValues } from './key-options.ts'
import { USAGE } from './usage-statements.ts'

/** An action of the command "keys", with the options and the database of its call. */
export type KeyTask = OpenDatabase & {
  values: KeyValues
  id: string
  now: number
  terminal: Terminal
  features: readonly Feature[]
}

export async function listKeys({ values, now, store, name, config, terminal }: KeyTask): Promise<void> {
  const all = await store.keys.list()
  const left = await findQuotas(store, config.tiers, now)
  const keys = all
    .filter((key) => isWanted(key, values, now))
    .map((key) => ({ ...presentKey(key, now), ...left(key) }))
  if (values.json) return terminal.out(toJsonText(keys))
  if (keys.length === 0) {
    const none = all.length > 0 ? 'There are no such keys' : 'There are no keys'
    const advice = all.length > 0 ? '' : ': "keys create --name NAME" creates one'
    return terminal.err(`${none} in ${name}${advice}.\n`)
  }
  const rows = keys.map(keyRow)
  // The last two columns are left out if they are empty.
  const isUsed = HEAD.map((_, at) => at < HEAD.length - 2 || rows.some((row) => row[at] !== '-'))
  terminal.out(formatTable([HEAD, ...rows].map((row) => row.filter((_, at) => isUsed[at]))))
}

const HEAD = [
  ...['ID', 'NAME', 'STATE', 'TIER', 'OWNER', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED'],
  ...['LEFT THIS MONTH', 'ORIGINS'],
]

function isWanted(key: ApiKey, { active, tier, owner }: KeyValues, now: number): boolean {
  if (active && keyState(key, now) !== 'active') return false
  if (tier !== undefined && key.tier !== tier) return false
  return owner === undefined || key.owner.toLowerCase() === owner.toLowerCase()
}

type Quota = { monthly_quota: number | null; monthly_left: number | null }

/** The monthly quota of each key, and the requests left in this month (UTC). */
async function findQuotas({ data }: Store, tiers: readonly Tier[], now: number) {
  const quotas = new Map(tiers.map(({ name, monthly }) => [name, monthly]))
  const day = dayOf(now)
  const used = await data(USAGE).sumMonth(day)
  return ({ id, tier }: ApiKey): Quota => {
    const quota = quotas.get(tier) ?? null
    return { monthly_quota: quota, monthly_left: quota && Math.max(0, quota - (used.get(id) ?? 0)) }
  }
}

function keyRow(key: ReturnType<typeof presentKey> & Quota): string[] {
  const { id, state, tier, scopes, types, origins, monthly_quota: quota } = key
  const days = [key.created_at, key.expires_at, key.last_used_at].map((time) => time?.slice(0, 10))
  const grants = scopes.join(',') + (types.length > 0 ? ` (${types.join(',')})` : '')
  return [
    ...[id, printable(key.name), state, tier, printable(key.owner) || '-', printable(grants)],
    ...days.map((day) => day ?? 'never'),
    quota === null ? '-' : `${number(key.monthly_left ?? 0)} of ${number(quota)}`,
    key.seen_in_browser ? 'seen in a browser: rotate it' : origins.join(',') || '-',
  ]
}

export function presentKey(key: ApiKey, now: number) {
  return {
    id: key.id,
    name: key.name,
    state: keyState(key, now),
    tier: key.tier,
    owner: key.owner,
    scopes: key.scopes,
    types: key.types,
    origins: key.origins,
    seen_in_browser: key.isSeenInBrowser === true,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
    last_used_at: isoTime(key.lastUsedAt),
  }
}
