import { parseSocialCount } from '../../core/basics/text/social-count.ts'
import { MAX_IMAGE_URL_BYTES } from '../../core/passport/record-size.ts'
import type { WireProfile, WireSocial } from '../../core/passport/wire-schemas.ts'
import { readGiven, type StoredRow } from '../../core/store/rows/passport.ts'
import { type ItemRow, type PassportRow, presentMembers, presentMore } from '../v1/statements.ts'

type Given = Pick<StoredRow, 'given' | 'socials'>

/** `cards` is the URL of the folder with the cards, or empty. */
export function presentItemV2(row: ItemRow & Given, cards: string): string {
  const { profile, later } = presentLater(row, () => JSON.parse(row.socials), cards)
  return `{${presentMembers(row, profile)},${later}}`
}

export function presentPassportV2(row: PassportRow & Given, cards: string): string {
  const socials: WireSocial[] = JSON.parse(row.socials)
  const numericSocials = socials.map((social) => ({
    ...social,
    follower_count: parseSocialCount(social.follower_count),
    following_count: parseSocialCount(social.following_count),
  }))
  const { profile, later } = presentLater(row, () => socials, cards)
  return `{${presentMembers(row, profile)},${presentMore(row, JSON.stringify(numericSocials))},${later}}`
}

/** The profile and the members that V2 adds. A passport without an image has its card. */
function presentLater(row: ItemRow & Given, parseSocials: ParseSocials, cards: string) {
  const { image_url, main_wallet_changed_at = null, nominations_received_count = 0 } = readGiven(row)
  const { display_name: name }: WireProfile = JSON.parse(row.profile)
  const image = findImage(image_url, parseSocials) ?? (cards && `${cards}${row.id}.png`)
  const later = {
    verified: row.human === 1,
    main_wallet_changed_at,
    nominations_received_count,
    user: { id: String(row.id), name, email: null, admin: false, profile_picture_url: image },
  }
  const profile = `${row.profile.slice(0, -1)},${JSON.stringify({ image_url: image, name }).slice(1)}`
  return { profile, later: JSON.stringify(later).slice(1, -1) }
}

type ParseSocials = () => readonly WireSocial[]

/** Returns the image of the record, or else the first image of the socials. */
export const findImage = (imageUrl = '', parseSocials: ParseSocials): string | undefined =>
  isImageUrl(imageUrl)
    ? imageUrl
    : parseSocials().find((social) => isImageUrl(social.profile_image_url))?.profile_image_url

/** Sources also send paths and `data:` URLs. */
const isImageUrl = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) &&
  URL.canParse(text) &&
  Buffer.byteLength(JSON.stringify(text)) <= MAX_IMAGE_URL_BYTES
