import { expect } from 'bun:test'
import { parseSocialCount } from '../../../src/core/basics/text/social-count.ts'
import type { PassportRef } from '../../../src/core/passport/passport.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { presentListedV1, presentV1 } from '../../support/mirror/present-v1.ts'
import { listByRank, renderPassport } from '../v1/expect-responses.ts'

/** Compares every V2 response with the stored data. */
export async function expectV2(store: Store, refs: readonly PassportRef[]): Promise<void> {
  const records = new Map((await store.records.list(-1, 1000)).map((each) => [each.id, each]))
  for (const ref of refs) {
    const passport = await store.passports.find(ref)
    const v2 = passport && presentV2(presentV1(passport), records.get(passport.id))
    expect(await store.data(V2_BODIES).findPassport(ref)).toEqual(passport && renderPassport(passport, v2))
  }
  const ids = [...records.keys()]
  const items = (await listByRank(store, ids)).map((passport) =>
    JSON.stringify(presentV2(presentListedV1(passport), records.get(passport.id))),
  )
  expect(await store.data(V2_BODIES).rankItems(ids)).toEqual(items)
}

type V1 = ReturnType<typeof presentListedV1> & Partial<ReturnType<typeof presentV1>>

/** The V2 form of a V1 response. */
function presentV2(passport: V1, record: Partial<PassportRecord> = {}) {
  const { mainWalletChangedAt, nominations = 0, imageUrl = '', socials = [] } = record
  const images = [imageUrl, ...socials.map((social) => social.imageUrl)]
  const image = images.find((url) => url.startsWith('https://')) ?? ''
  const { display_name: name } = passport.passport_profile
  return {
    ...passport,
    passport_profile: { ...passport.passport_profile, image_url: image, name },
    ...(passport.passport_socials && {
      passport_socials: passport.passport_socials.map((social) => ({
        ...social,
        follower_count: parseSocialCount(social.follower_count),
        following_count: parseSocialCount(social.following_count),
      })),
    }),
    verified: passport.human_checkmark,
    main_wallet_changed_at:
      mainWalletChangedAt === undefined ? null : new Date(mainWalletChangedAt).toISOString(),
    nominations_received_count: nominations,
    user: {
      ...{ id: String(passport.passport_id), name, email: null, admin: false },
      profile_picture_url: image,
    },
  }
}
