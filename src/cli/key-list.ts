import { type ApiKey, isPublishable, keyState } from '../domain/api-key.ts'
import type { Tier } from '../domain/rate-limit-tier.ts'
import { isoTime } from '../domain/text/instant.ts'
import { printable } from '../domain/text/quote.ts'
import { dayOf } from '../domain/usage.ts'
import type { Store } from '../store/store.ts'
import type { Terminal } from './command.ts'
import { formatTable } from './table.ts'

export type KeyTarget = { store: Store; database: string; terminal: Terminal }

type Values = { active: true | undefined; tier: string | undefined; owner: string | undefined }

type Wanted = { values: Values & { json: true | undefined }; tiers: readonly Tier[]; now: number }

export async function listKeys(
  { store, database, terminal }: KeyTarget,
  { values, tiers, now }: Wanted,
): Promise<void> {
  const all = await store.keys.list()
  const left = await findQuotas(store, tiers, now)
  const shown = all
    .filter((key) => isWanted(key, values, now))
    .map((key) => ({ ...presentKey(key, now), ...left(key) }))
  if (values.json) return terminal.out(`${JSON.stringify(shown)}\n`)
  if (shown.length === 0) {
    const none = all.length > 0 ? 'There are no such keys' : 'There are no keys'
    const advice = all.length > 0 ? '' : ': "keys create --name NAME" creates one'
    return terminal.err(`${none} in ${database}${advice}.\n`)
  }
  const hasQuota = shown.some(({ monthly_quota }) => monthly_quota !== null)
  const hasOrigins = shown.some((key) => isPublishable(key) || key.seen_in_browser)
  const head = ['ID', 'NAME', 'STATE', 'TIER', 'OWNER', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED']
  const rows = shown.map((key) => [
    ...toRow(key),
    ...(hasQuota ? [describeQuota(key)] : []),
    ...(hasOrigins ? [describeOrigins(key)] : []),
  ])
  const more = [...(hasQuota ? ['LEFT THIS MONTH'] : []), ...(hasOrigins ? ['ORIGINS'] : [])]
  terminal.out(formatTable([[...head, ...more], ...rows]))
}

function isWanted(key: ApiKey, { active, tier, owner }: Values, now: number): boolean {
  if (active && keyState(key, now) !== 'active') return false
  if (tier !== undefined && key.tier !== tier) return false
  return owner === undefined || key.owner.toLowerCase() === owner.toLowerCase()
}

type Quota = { monthly_quota: number | null; monthly_left: number | null }

/** The monthly quota of each key, and the requests left in this month (UTC). */
async function findQuotas({ usage }: Store, tiers: readonly Tier[], now: number) {
  const quotas = new Map(tiers.map(({ name, monthly }) => [name, monthly]))
  const day = dayOf(now)
  const used = new Map(await usage.sumByKey({ since: `${day.slice(0, 8)}01`, until: day }))
  return ({ id, tier }: ApiKey): Quota => {
    const quota = quotas.get(tier) ?? null
    return { monthly_quota: quota, monthly_left: quota && Math.max(0, quota - (used.get(id) ?? 0)) }
  }
}

const describeQuota = ({ monthly_quota, monthly_left }: Quota) =>
  monthly_quota === null
    ? '-'
    : `${monthly_left?.toLocaleString('en')} of ${monthly_quota.toLocaleString('en')}`

type Shown = ReturnType<typeof presentKey>

const describeOrigins = ({ origins, seen_in_browser }: Shown) =>
  seen_in_browser ? 'seen in a browser: rotate it' : origins.join(',') || '-'

function toRow({ id, name, state, tier, owner, scopes, types, ...times }: Shown): string[] {
  const days = [times.created_at, times.expires_at, times.last_used_at].map((time) => time?.slice(0, 10))
  const grants = scopes.join(',') + (types.length > 0 ? ` (${types.join(',')})` : '')
  const texts = [id, printable(name), state, tier, printable(owner) || '-', printable(grants)]
  return [...texts, ...days.map((day) => day ?? 'never')]
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
