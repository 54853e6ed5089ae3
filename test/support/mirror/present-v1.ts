import type { FullPassport, Passport } from '../../../src/core/passport/passport.ts'
import { presentInstant, presentProfile, presentSocial } from '../../../src/core/passport/present.ts'

/** A list item of V1. The members are in the order of the response. */
export const presentListedV1 = (passport: Passport) => ({
  activity_score: passport.scores.activity,
  identity_score: passport.scores.identity,
  skills_score: passport.scores.skills,
  score: passport.scores.total,
  calculating_score: passport.stale,
  connections_count: passport.connections,
  human_checkmark: passport.human,
  last_calculated_at: presentInstant(passport.calculatedAt),
  main_wallet: passport.mainWallet,
  passport_id: passport.id,
  passport_profile: presentProfile(passport.profile),
  verified_wallets: passport.verifiedWallets,
})

export const presentV1 = (passport: FullPassport) => ({
  ...presentListedV1(passport),
  merged: passport.merged,
  passport_socials: passport.socials.map(presentSocial),
})
