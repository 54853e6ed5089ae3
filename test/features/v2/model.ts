import { type Answer, toNumber, UNKNOWN } from '../../model/answers.ts'
import type { VersionModel } from '../../model/question.ts'
import type { Service, Stored } from '../../model/service.ts'
import { pagesOf, presentListedV1, presentV1 } from '../v1/model.ts'

export const V2_MODEL: VersionModel = {
  ofPassport: (service, key, stored) => [
    [`/api/v2/passports/${key}`, v2Passport(service, stored)],
    [`/api/v2/human_checkmark?id=${key}`, v2Human(stored)],
  ],
  ofPages: (service) => pagesOf(service, '/api/v2/passports', presentListedV2),
}

const v2Passport = (service: Service, stored: Stored | undefined): Answer =>
  stored ? { status: 200, body: { passport: presentV2(service, stored) } } : UNKNOWN

const v2Human = (stored: Stored | undefined): Answer =>
  stored ? { status: 200, body: { human_checkmark: stored.scores.human_checkmark } } : UNKNOWN

function presentListedV2(service: Service, stored: Stored) {
  const { display_name: name } = stored.record.passport_profile
  const passport = presentListedV1(service, stored)
  return {
    ...passport,
    verified: passport.human_checkmark,
    main_wallet_changed_at: null,
    nominations_received_count: 0,
    passport_profile: { ...passport.passport_profile, name, image_url: '' },
    user: { id: String(stored.id), name, email: null, admin: false, profile_picture_url: '' },
  }
}

function presentV2(service: Service, stored: Stored) {
  const { merged, passport_socials } = presentV1(service, stored)
  const socials = passport_socials.map((social) => ({
    ...social,
    follower_count: toNumber(social.follower_count),
    following_count: null,
  }))
  return { ...presentListedV2(service, stored), merged, passport_socials: socials }
}
