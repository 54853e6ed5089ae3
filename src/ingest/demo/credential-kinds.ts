import type { Random } from './random.ts'

export type Kind = {
  type: string
  name: string
  category: 'Activity' | 'Identity' | 'Skills'
  maxScore: number
  provesHuman: boolean
  /** What the credential reads like for someone who has this share of its points. */
  value: (share: number, random: Random, handle: string) => string
}

type Value = Kind['value']

/** All or nothing. */
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

type Row = [type: string, name: string, maxScore: number, value: Value]

const kinds = (category: Kind['category'], provesHuman: boolean, rows: Row[]): Kind[] =>
  rows.map(([type, name, maxScore, value]) => ({ type, name, category, maxScore, provesHuman, value }))

export const KINDS: readonly Kind[] = [
  ...kinds('Identity', true, [
    ['worldcoin', 'World ID', 8, verified],
    ['coinbase_verified_id', 'Coinbase Verified ID', 8, verified],
    ['binance_account_bound', 'Binance Account Bound', 8, verified],
    ['galxe', 'Galxe Passport', 8, verified],
    ['holonym', 'Holonym', 8, verified],
    ['fractal_id', 'Fractal ID', 8, verified],
  ]),
  ...kinds('Identity', false, [
    ['basename', 'Basename', 8, named('.base.eth')],
    ['ens', 'ENS', 5, named('.eth')],
    ['farcaster', 'Farcaster', 8, (_share, random) => `FID: ${random.whole(1000, 899_999)}`],
    ['gitcoin', 'Gitcoin Passport', 20, (share) => `Humanity Score: ${Math.round(share * 40)}`],
    ['cyber_id', 'Cyber ID', 8, named('.cyber')],
    ['phaver', 'Phaver', 8, at],
  ]),
  ...kinds('Activity', false, [
    ['active_wallet', 'Ethereum User', 20, since('Outgoing transactions', 2400)],
    ['base_activity', 'Base User', 20, since('Outgoing transactions', 3100)],
    ['arbitrum_activity', 'Arbitrum User', 8, counted('transactions', 900)],
    ['optimism_activity', 'Optimism User', 8, counted('transactions', 900)],
    ['scroll_activity', 'Scroll User', 8, counted('transactions', 400)],
    ['safe_wallet', 'Safe Wallet', 4, counted('safes', 6)],
    [
      'social_capital_rank',
      'Social Capital Rank',
      20,
      (share) => `Rank: ${Math.round((1 - share) * 90_000) + 1}`,
    ],
    ['lens', 'Lens', 8, named('.lens')],
    ['twitter', 'Twitter', 4, at],
    ['linkedin', 'LinkedIn', 8, (_share, random) => `Since ${random.whole(2008, 2023)}`],
    ['degen', 'Degen', 8, counted('DEGEN', 90_000)],
    ['talent_vault', 'Talent Vault', 20, counted('TALENT', 40_000)],
  ]),
  ...kinds('Skills', false, [
    ['github', 'GitHub', 40, since('Total Contributions', 9000)],
    ['github_engagement', 'GitHub Engagement', 20, counted('stars', 5200)],
    ['base_builder', 'Base Developer', 40, counted('contracts', 60)],
    ['celo_builder', 'Celo Developer', 20, counted('contracts', 25)],
    ['optimism_builder', 'Optimism Developer', 20, counted('contracts', 25)],
    ['crypto_developer', 'Crypto Developer', 40, counted('projects', 45)],
    ['developer_dao', 'Developer DAO', 8, verified],
    ['eth_global', 'ETHGlobal', 20, counted('hackathons', 9)],
    ['retro_pgf', 'Retro PGF', 20, counted('rounds', 5)],
    ['base_learn', 'Base Learn', 8, counted('badges', 14)],
    ['base_camp', 'Base Camp', 8, verified],
    ['take_off', 'Take Off', 9, verified],
  ]),
]
