import { parseSocialCount } from '../../core/basics/text/social-count.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { FID, type Social } from '../../core/passport/passport.ts'
import type { ExplanationLine } from '../../core/passport/rules/explanation.ts'
import { type RuleSetShape, ruleOf } from '../../core/passport/rules/rule-set.ts'

export const SLUG = 'builder_score'

/** `rank_position` is null while the index is built. */
export function presentScore(passport: PassportV3, rank_position: number | null) {
  const { scores, calculatedAt, stale: calculating_score } = passport
  const last_calculated_at = new Date(calculatedAt).toISOString()
  return { slug: SLUG, points: scores.total, rank_position, last_calculated_at, calculating_score }
}

type Score = ReturnType<typeof presentScore>

/** Sources also send paths and `data:` URLs. */
export const hasImage = ({ imageUrl }: Social) => /^https?:\/\/\S+$/i.test(imageUrl)

/** `cards` is the URL of the folder with the cards, or empty. */
export function presentProfile(passport: PassportV3, builder_score: Score | undefined, cards: string) {
  const { id, profile, socials, human: human_checkmark, mainWallet: main_wallet } = passport
  const { displayName: name, bio, location, tags } = profile
  const image = socials.find(hasImage)?.imageUrl
  return {
    ...{ id, name, display_name: name, bio, location, tags, human_checkmark, main_wallet },
    image_url: image ?? (cards && `${cards}${id}.png`),
    main_wallet_address: main_wallet,
    verified_wallets: passport.verifiedWallets,
    ...{ builder_score, scores: [builder_score] },
  }
}

export const presentCredentials = ({ credentials = [] }: PassportV3, rules: RuleSetShape) =>
  credentials.map(({ type: slug, name, category, score, max_score, value, issuer, last_calculated_at }) => ({
    ...{ slug, name, category, points: score, max_score, readable_value: value, uom: '' },
    ...{ data_issuer_name: issuer ?? '', last_calculated_at },
    description: ruleOf(rules, slug)?.description ?? '',
  }))

/** Programs read either of two names of some members. */
export const presentSocials = ({ socials }: PassportV3) =>
  socials.map(({ source, name, bio, location, url, imageUrl, ...social }) => {
    const followers = parseSocialCount(social.followers)
    return {
      ...{ source, social_slug: source, handle: name, name: social.displayName, bio, location },
      ...{ followers_count: followers, follower_count: followers },
      following_count: parseSocialCount(social.following),
      ...{ image_url: imageUrl, profile_url: url },
    }
  })

/** A Farcaster account is named by its id, which is in the text of its credential. */
export function presentAccounts({ mainWallet, verifiedWallets, socials, credentials = [] }: PassportV3) {
  const { value = '' } = credentials.find(({ type }) => type === 'farcaster') ?? {}
  const fid = FID.exec(value.trim())?.[1]
  const wallets = [...new Set([mainWallet, ...verifiedWallets])].filter((wallet) => wallet !== '')
  return [
    ...wallets.map((identifier) => ({ source: 'wallet', identifier, username: null })),
    ...socials.map(({ source, name: username }) => {
      const identifier = (source === 'farcaster' && fid) || username
      return { source, identifier, username }
    }),
  ]
}

export const presentDataPoints = (lines: readonly ExplanationLine[]) =>
  lines.flatMap(({ type: slug, name, accounts }) =>
    accounts.map(({ account, value: readable_value, raw, issuer = '' }) => ({
      ...{ slug, credential_slug: slug, name, account, value: raw.amount, readable_value, uom: '' },
      data_issuer_name: issuer,
    })),
  )
