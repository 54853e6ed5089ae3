import { parseSocialCount } from '../../core/basics/text/social-count.ts'
import type { LaterFields } from '../../core/passport/record.ts'
import type { WireListedPassport, WirePassport } from '../../core/passport/wire-schemas.ts'
import type { WireListedPassportV2, WirePassportV2 } from './schemas.ts'

/**
 * `later` has the fields that `toShownFields` returns. A passport without an image has its card, in the folder with the URL
 * `cards`; without that URL its image is empty.
 */
export function presentListedPassportV2(passport: WireListedPassport, later: LaterFields, cards = '') {
  const { mainWalletChangedAt, nominations = 0 } = later
  const imageUrl = later.imageUrl ?? (cards && `${cards}${passport.passport_id}.png`)
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
  } satisfies WireListedPassportV2
}

export function presentPassportV2(passport: WirePassport, later: LaterFields, cards?: string) {
  return {
    ...presentListedPassportV2(passport, later, cards),
    merged: passport.merged,
    passport_socials: passport.passport_socials.map((social) => ({
      ...social,
      follower_count: parseSocialCount(social.follower_count),
      following_count: parseSocialCount(social.following_count),
    })),
  } satisfies WirePassportV2
}
