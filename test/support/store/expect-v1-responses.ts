import { expect } from 'bun:test'
import { etagOf } from '../../../src/core/basics/hash.ts'
import { parseSocialCount } from '../../../src/core/basics/text/social-count.ts'
import { byScore, type Credential } from '../../../src/core/passport/credential.ts'
import type { FullPassport, Passport, PassportRef } from '../../../src/core/passport/passport.ts'
import {
  presentCredential,
  presentInstant,
  presentProfile,
  presentSocial,
} from '../../../src/core/passport/present.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { CREDENTIAL_BODIES, V1_BODIES, V2_BODIES } from './open.ts'

export type Shown = ReadonlyMap<number, string>

const withEtag = (body: string) => ({ body, etag: etagOf(body) })

/**
 * Compares every V1 and V2 response with the stored data. A stale passport must show
 * the credentials that it showed `before`. Returns the credentials that are shown now.
 */
export async function expectV1(
  store: Store,
  refs: readonly PassportRef[],
  before: Shown = new Map(),
): Promise<Shown> {
  const records = new Map((await store.records.list(-1, 1000)).map((each) => [each.id, each]))
  const shown = new Map<number, string>()
  for (const [id, { mergedInto, stale, credentials = [] }] of records)
    if (mergedInto === undefined) shown.set(id, (stale && before.get(id)) || render(credentials))
  for (const ref of refs) {
    const passport = await store.passports.find(ref)
    expect({
      ref,
      passport: await store.data(V1_BODIES).findPassport(ref),
      credentials: await store.data(CREDENTIAL_BODIES).find(ref),
    }).toMatchObject({
      ref,
      passport: passport && renderPassport(passport, presentV1(passport)),
      credentials: passport && withEtag(shown.get(passport.id) as string),
    })
    const v2 = passport && presentV2(presentV1(passport), records.get(passport.id))
    expect(await store.data(V2_BODIES).findPassport(ref)).toEqual(passport && renderPassport(passport, v2))
  }
  const ids = [...records.keys()]
  const listed = (await store.passports.listByIds(ids)).toSorted(
    (one, other) => other.scores.total - one.scores.total || one.id - other.id,
  )
  const items = listed.map((passport) => JSON.stringify(presentListedV1(passport)))
  expect(await store.data(V1_BODIES).listItems(ids)).toEqual(items)
  const itemsV2 = listed.map((passport) =>
    JSON.stringify(presentV2(presentListedV1(passport), records.get(passport.id))),
  )
  expect(await store.data(V2_BODIES).listItems(ids)).toEqual(itemsV2)
  return shown
}

const renderPassport = ({ id, merged }: FullPassport, passport: unknown) => ({
  ...withEtag(JSON.stringify({ passport })),
  id,
  merged: Number(merged),
})

function render(credentials: readonly Credential[]): string {
  const shown = credentials.filter(({ superseded }) => !superseded).toSorted(byScore)
  return JSON.stringify({ passport_credentials: shown.map(presentCredential) })
}

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

type V1 = ReturnType<typeof presentListedV1> & Partial<ReturnType<typeof presentV1>>

/** The V2 form of a V1 response. A passport without an image has its card, in the folder with the URL `cards`. */
export function presentV2(passport: V1, record: Partial<PassportRecord> = {}, cards = '') {
  const { mainWalletChangedAt, nominations = 0, imageUrl = '', socials = [] } = record
  const images = [imageUrl, ...socials.map((social) => social.imageUrl)]
  const found = images.find((url) => url.startsWith('https://'))
  const image = found ?? (cards && `${cards}${passport.passport_id}.png`)
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
