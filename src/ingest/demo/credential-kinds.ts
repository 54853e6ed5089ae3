import { DEFAULT_RULES, type Rule } from '../../scoring/rules.ts'
import type { Random } from './random.ts'

/** The display text of a credential with this share of its maximum score. */
type Value = (share: number, random: Random, handle: string) => string

type Kind = { type: string; rule: Rule; value: Value }

/** Either the maximum score or none. */
export const verified: Value = () => 'Verified'
const named =
  (suffix: string): Value =>
  (_share, _random, handle) =>
    `${handle}${suffix}`
const at: Value = (_share, _random, handle) => `@${handle}`
const counted =
  (units: string, most: number): Value =>
  (share) => {
    const count = Math.max(1, Math.round(share * share * most))
    return `${count} ${count === 1 ? units.replace(/s$/, '') : units}`
  }
const since =
  (unit: string, most: number): Value =>
  (share, random) => {
    const day = `${2024 - Math.ceil(share * 9)}-${pad(random.whole(1, 12))}-${pad(random.whole(1, 28))}`
    return `Since ${day}, ${unit}: ${Math.round(share * share * most) + 1}`
  }
const pad = (number: number) => String(number).padStart(2, '0')

const VALUES: Record<string, Value> = {
  worldcoin: verified,
  coinbase_verified_id: verified,
  binance_account_bound: verified,
  galxe: verified,
  holonym: verified,
  fractal_id: verified,
  basename: named('.base.eth'),
  ens: named('.eth'),
  farcaster: (_share, random) => `FID: ${random.whole(1000, 899_999)}`,
  gitcoin: (share) => `Humanity Score: ${Math.round(share * 40)}`,
  cyber_id: named('.cyber'),
  phaver: at,
  active_wallet: since('Outgoing transactions', 2400),
  base_activity: since('Outgoing transactions', 3100),
  arbitrum_activity: counted('transactions', 900),
  optimism_activity: counted('transactions', 900),
  scroll_activity: counted('transactions', 400),
  safe_wallet: counted('safes', 6),
  social_capital_rank: (share) => `Rank: ${Math.round((1 - share) * 90_000) + 1}`,
  lens: named('.lens'),
  twitter: at,
  linkedin: (_share, random) => `Since ${random.whole(2008, 2023)}`,
  degen: counted('DEGEN', 90_000),
  talent_vault: counted('TALENT', 40_000),
  github: since('Total Contributions', 9000),
  github_engagement: counted('stars', 5200),
  base_builder: counted('contracts', 60),
  celo_builder: counted('contracts', 25),
  optimism_builder: counted('contracts', 25),
  crypto_developer: counted('projects', 45),
  developer_dao: verified,
  eth_global: counted('hackathons', 9),
  retro_pgf: counted('rounds', 5),
  base_learn: counted('badges', 14),
  base_camp: verified,
  take_off: verified,
}

export const KINDS: readonly Kind[] = Object.entries(VALUES).map(([type, value]) => ({
  type,
  rule: DEFAULT_RULES.types[type] as Rule,
  value,
}))
