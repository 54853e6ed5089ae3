import type { Credential } from '../../domain/credential.ts'
import type { DataPoint, RawValue } from '../../domain/data-point.ts'
import { toPoints } from '../../scoring/points.ts'
import { DEFAULT_RULES, type Rule } from '../../scoring/rules.ts'
import { KINDS } from './credential-kinds.ts'
import type { Random } from './random.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY

/** The display text of a raw value; empty: the value itself is shown. */
type Display = (amount: number, handle: string, random: Random) => string

type Source = {
  display: Display
  kind: RawValue['kind']
  /** Whether each wallet of the person is an account. */
  perWallet: boolean
}

const source = (display: Display, kind: Source['kind'] = 'number', perWallet = false): Source => ({
  display,
  kind,
  perWallet,
})
const count = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? '' : 's'}`
const counted = (noun: string) => source((amount) => count(amount, noun))
const byWallet = (noun: string) => source((amount) => count(amount, noun), 'number', true)
const tokens = (symbol: string) => source((amount) => `${amount} ${symbol}`)
const named = (suffix: string) => source((_, handle) => `${handle}${suffix}`, 'date')
const verified = source(() => '', 'flag')

/** The types whose points the rule set calculates; all others are given by records. */
const SOURCES: Record<string, Source> = {
  worldcoin: verified,
  basename: named('.base.eth'),
  ens: named('.eth'),
  cyber_id: named('.cyber'),
  farcaster: source((_amount, _handle, random) => `FID: ${random.whole(1000, 899_999)}`, 'date'),
  gitcoin: source((amount) => `Humanity Score: ${amount}`),
  phaver: source((amount) => `Level ${amount}`),
  active_wallet: byWallet('transaction'),
  base_activity: counted('transaction'),
  arbitrum_activity: counted('transaction'),
  optimism_activity: counted('transaction'),
  scroll_activity: counted('transaction'),
  bnb_activity: counted('transaction'),
  safe_wallet: counted('safe'),
  lens: counted('follower'),
  twitter: source((_, handle) => `@${handle}`, 'flag'),
  linkedin: verified,
  degen: tokens('DEGEN'),
  build: tokens('BUILD'),
  bonsai: tokens('BONSAI'),
  talent_vault: tokens('TALENT'),
  pooly_supporter: counted('Pooly'),
  github: counted('contribution'),
  github_engagement: counted('star'),
  github_developer: source(() => '', 'date'),
  base_builder: byWallet('contract'),
  celo_builder: counted('contract'),
  optimism_builder: counted('contract'),
  scroll_builder: counted('contract'),
  zksync_builder: counted('contract'),
  crypto_developer: counted('project'),
  eth_global: counted('hackathon'),
  taikai: counted('challenge'),
  retro_pgf: counted('round'),
  base_builds: counted('build'),
  base_learn: counted('badge'),
  base_buildathon: counted('buildathon'),
}

/** Types that only data points have. */
const MORE_TYPES = Object.keys(SOURCES).filter((type) => KINDS.every((kind) => kind.type !== type))

export const isCalculated = ({ type }: Pick<Credential, 'type'>): boolean => Object.hasOwn(SOURCES, type)

type Given = Pick<Credential, 'type' | 'score' | 'maxScore' | 'earnedAt'>

type Owner = { handle: string; wallets: readonly string[] }

/** Raw values for which the rule set gives about the scores of these credentials, and values of a few more types. */
export function inventDataPoints(
  credentials: readonly Given[],
  owner: Owner,
  random: Random,
  now: number,
): DataPoint[] {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const share = sum(credentials.map(({ score }) => score)) / sum(credentials.map(({ maxScore }) => maxScore))
  const more = random.sample(MORE_TYPES, random.whole(3, 8)).map((type) => {
    const { max_score } = DEFAULT_RULES.types[type] as Rule
    const score = max_score * Math.min(1, share * (0.2 + 0.9 * random.next()))
    return { type, score, earnedAt: now - random.whole(30, 1500) * DAY }
  })
  return [...credentials.filter(isCalculated), ...more].flatMap((each) =>
    inventValues(each, owner, random, now),
  )
}

function inventValues(
  { type, score, earnedAt }: Omit<Given, 'maxScore'>,
  { handle, wallets }: Owner,
  random: Random,
  now: number,
): DataPoint[] {
  const { kind, perWallet, display } = SOURCES[type] as Source
  const rule = DEFAULT_RULES.types[type] as Rule
  const toPoint = (account: string, amount: number, earned = earnedAt): DataPoint => ({
    type,
    account,
    value: { kind, amount },
    display: display(amount, handle, random),
    ...(earned !== undefined && { earnedAt: earned }),
  })
  if (kind === 'flag') return [toPoint('', 1)]
  // A score at its maximum often has a larger value behind it.
  const points = score < rule.max_score ? score + random.next() - 0.5 : score * (1 + random.next() / 2)
  const amount = invert(Math.max(0.6, points), rule)
  if (kind === 'date') {
    const day = now - (now % DAY) - Math.round((amount * YEAR) / DAY) * DAY
    return [toPoint('', day, day)]
  }
  const whole = Math.round(amount)
  if (whole < 1) return []
  const [first, second] = wallets
  if (!perWallet || first === undefined || second === undefined || whole < 4) return [toPoint('', whole)]
  const rest = Math.ceil(whole * random.next() * 0.4)
  return [toPoint(first, whole - rest), toPoint(second, rest)]
}

/** The value that a rule turns into these points. */
function invert(points: number, { convert, multiplier }: Rule): number {
  const result = points / multiplier
  if (convert === 'sqrt') return result ** 2
  return convert === 'ln' ? Math.exp(result) : result
}

/** Whether a larger number would give more points. */
export function canGrow({ type, value }: DataPoint): boolean {
  const rule = DEFAULT_RULES.types[type] as Rule
  return value.kind === 'number' && toPoints(value, rule, 0).points < rule.max_score
}

/** The point with a larger number. */
export function grow(point: DataPoint, random: Random): DataPoint {
  const amount = Math.ceil(point.value.amount * (1.3 + random.next() * 0.7))
  const { display } = SOURCES[point.type] as Source
  return { ...point, value: { kind: 'number', amount }, display: display(amount, '', random) }
}
