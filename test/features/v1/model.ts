import { type Answer, ranked, scoresOf, UNKNOWN } from '../../model/answers.ts'
import type { Question, VersionModel } from '../../model/question.ts'
import type { Service, Stored } from '../../model/service.ts'

export const V1_MODEL: VersionModel = {
  ofPassport: (service, key, stored) => [
    [`/api/v1/passports/${key}`, v1Passport(service, stored)],
    [`/api/v1/passport_credentials?passport_id=${key}`, v1Credentials(stored)],
  ],
  ofPages: (service) => [
    ...pagesOf(service, '/api/v1/passports', presentListedV1),
    ...[1, 2, 3].map(
      (page): Question => [
        `/api/v1/passports?page=${page}&per_page=1&keyword=ann`,
        pageOf(service, presentListedV1, page, 1, 'ann'),
      ],
    ),
  ],
}

type Present = (service: Service, stored: Stored) => object

export const pagesOf = (service: Service, path: string, present: Present) =>
  [1, 2, 3].map((page): Question => [`${path}?page=${page}&per_page=3`, pageOf(service, present, page, 3)])

const v1Passport = (service: Service, stored: Stored | undefined): Answer =>
  stored ? { status: 200, body: { passport: presentV1(service, stored) } } : UNKNOWN

const v1Credentials = (stored: Stored | undefined): Answer =>
  stored
    ? {
        status: 200,
        body: {
          passport_credentials: stored.scores.credentials.map(({ from: _, ...credential }) => ({
            ...credential,
            earned_at: '',
          })),
        },
      }
    : UNKNOWN

export function presentListedV1(service: Service, stored: Stored) {
  const { id, record, scores } = stored
  return {
    ...scoresOf(stored),
    calculating_score: service.isStale(id),
    connections_count: 0,
    human_checkmark: scores.human_checkmark,
    main_wallet: record.main_wallet,
    passport_id: id,
    passport_profile: { bio: '', ...record.passport_profile },
    verified_wallets: record.verified_wallets,
  }
}

export function presentV1(service: Service, stored: Stored) {
  const text = { following_count: '', location: '', profile_bio: '', profile_display_name: '' }
  const urls = { profile_image_url: '', profile_url: '' }
  const socials = stored.record.passport_socials.map((social) => ({
    ...text,
    ...urls,
    follower_count: '',
    ...social,
  }))
  const merged = service.mergedFrom(stored.id).length > 0
  return { ...presentListedV1(service, stored), merged, passport_socials: socials }
}

function pageOf(service: Service, present: Present, page: number, size: number, keyword = ''): Answer {
  const matches = ranked(service).filter(({ record }) =>
    record.passport_profile.display_name.toLowerCase().includes(keyword.toLowerCase()),
  )
  return {
    status: 200,
    body: {
      passports: matches.slice((page - 1) * size, page * size).map((stored) => present(service, stored)),
      pagination: {
        current_page: page,
        last_page: Math.max(1, Math.ceil(matches.length / size)),
        total: matches.length,
      },
    },
  }
}
