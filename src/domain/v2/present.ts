import type { WireListedPassport, WirePassport, WireSocial } from '../record/passport-schemas.ts'
import type { LaterFields } from '../record/record.ts'
import { parseSocialCount } from '../text/social-count.ts'
import type { WireListedPassportV2, WirePassportV2, WireSocialV2 } from './schemas.ts'

/** The second argument has the fields that `toShownFields` returns. */
export function presentListedPassportV2(
  passport: WireListedPassport,
  { imageUrl = '', mainWalletChangedAt, nominations = 0 }: LaterFields,
): WireListedPassportV2 {
  const { display_name } = passport.passport_profile
  return {
    ...passport,
    passport_profile: { ...passport.passport_profile, image_url: imageUrl, name: display_name },
    verified: passport.human_checkmark,
    main_wallet_changed_at:
      mainWalletChangedAt === undefined ? null : new Date(mainWalletChangedAt).toISOString(),
    nominations_received_count: nominations,
    user: {
      id: String(passport.passport_id),
      name: display_name,
      email: null,
      admin: false,
      profile_picture_url: imageUrl,
    },
  }
}

export function presentPassportV2(passport: WirePassport, later: LaterFields): WirePassportV2 {
  return {
    ...presentListedPassportV2(passport, later),
    merged: passport.merged,
    passport_socials: passport.passport_socials.map(presentSocialV2),
  }
}

function presentSocialV2(social: WireSocial): WireSocialV2 {
  return {
    ...social,
    follower_count: parseSocialCount(social.follower_count),
    following_count: parseSocialCount(social.following_count),
  }
}
