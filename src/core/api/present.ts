import { parseSocialCount } from '../basics/text/social-count.ts'
import type { WireDiff } from '../history/event-schema.ts'
import type { CredentialV3, PassportV3 } from '../history/passport-state.ts'
import type { Social, Standing } from '../passport/passport.ts'
import { presentInstant } from '../passport/present.ts'
import { type Explanation, type ExplanationLine, sliceAccounts } from '../passport/rules/explanation.ts'
import type { WireCredential, WireExplanation, WirePassport, WireSocial, WireStanding } from './schemas.ts'

/** A member is absent if the request did not include it, and `null` if its value is unknown. */
type Included = {
  rules_digest?: string | null
  standing?: WireStanding | null
  explanation?: WireExplanation | null
  change?: WireDiff
}

export function presentPassport(passport: PassportV3, included: Included): WirePassport {
  const { scores, profile } = passport
  return {
    passport_id: passport.id,
    score: scores.total,
    activity_score: scores.activity,
    identity_score: scores.identity,
    skills_score: scores.skills,
    calculating_score: passport.stale,
    last_calculated_at: presentInstant(passport.calculatedAt),
    human_checkmark: passport.human,
    main_wallet: orNull(passport.mainWallet),
    verified_wallets: passport.verifiedWallets,
    passport_profile: {
      display_name: orNull(profile.displayName),
      bio: orNull(profile.bio),
      location: orNull(profile.location),
      tags: profile.tags,
    },
    passport_socials: passport.socials.map(presentSocial),
    merged_from: passport.mergedFrom,
    rules: orNull(passport.rules),
    rules_digest: null,
    ...(passport.credentials && { credentials: passport.credentials.map(presentCredential) }),
    ...included,
  }
}

/** `list` is the rank in a list. */
export function presentStanding(
  { total, activity, identity, skills }: Standing,
  list?: WireStanding['list'],
): WireStanding {
  return {
    ...presentRank(total),
    parts: {
      activity: presentRank(activity),
      identity: presentRank(identity),
      skills: presentRank(skills),
    },
    ...(list && { list }),
  }
}

const presentRank = ({ rank, below, total }: Standing['total']) => ({
  rank,
  of: total,
  // Rounded down, because 100 would mean that all passports have a lower score.
  percentile: total === 0 ? 0 : Math.floor((below / total) * 1000) / 10,
})

/** V3 serves `null` for unknown text, where V1 serves "". */
const orNull = (text: string) => (text === '' ? null : text)

function presentSocial(social: Social): WireSocial {
  return {
    source: social.source,
    profile_name: orNull(social.name),
    profile_display_name: orNull(social.displayName),
    profile_bio: orNull(social.bio),
    location: orNull(social.location),
    profile_url: orNull(social.url),
    profile_image_url: orNull(social.imageUrl),
    follower_count: parseSocialCount(social.followers),
    following_count: parseSocialCount(social.following),
  }
}

function presentCredential(credential: CredentialV3): WireCredential {
  return {
    id: credential.id,
    type: credential.type,
    name: credential.name,
    category: credential.category,
    score: credential.score,
    max_score: credential.max_score,
    value: orNull(credential.value),
    earned_at: orNull(credential.earned_at),
    last_calculated_at: credential.last_calculated_at,
    issuer: credential.issuer ?? null,
    from: credential.from ?? null,
  }
}

/** `score` is the served score of the passport. */
export function presentExplanation(explanation: Explanation, score: number): WireExplanation {
  const { passport, method, rules, givenHuman, caps } = explanation
  const lines = explanation.lines.map((line) => presentLine(line, passport.id))
  return { method, rules, score, given_human: givenHuman, lines, caps: { ...caps } }
}

function presentLine(line: ExplanationLine, id: number): WireExplanation['lines'][number] {
  const { type, name, category, score, maxScore, from, formula, givenScore = score } = line
  const accounts = presentAccounts(line)
  const more = line.accounts.length - accounts.length
  return {
    type,
    name,
    category: orNull(category),
    score,
    from,
    given_score: from === 'record' ? givenScore : null,
    formula,
    max_score: maxScore,
    accounts,
    more_accounts: more,
    accounts_link: more > 0 ? `/api/v3/passports/${id}/accounts?type=${encodeURIComponent(type)}` : null,
  }
}

export const presentAccounts = (line: ExplanationLine, start?: number, end?: number) =>
  sliceAccounts(line, start, end).map(({ account, value, raw, formula, issuer = null, obstacle }) => ({
    account: orNull(account),
    value,
    ...raw,
    counts: line.from === 'rule' && obstacle === undefined,
    formula: orNull(formula),
    issuer,
  }))
