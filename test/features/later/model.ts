import { type Answer, ranked, standingOf, toNumber, UNKNOWN } from '../../model/answers.ts'
import type { Question, VersionModel } from '../../model/question.ts'
import type { Service, Stored } from '../../model/service.ts'

export const LATER_MODEL: VersionModel = {
  ofPassport: (_service, key, stored) => [
    [`/human_checkmark?id=${key}`, answer(stored, ({ scores }) => human(scores.human_checkmark))],
    [
      `/credentials?id=${key}`,
      answer(stored, ({ scores }) => ({ credentials: scores.credentials.map(toItem) })),
    ],
    [`/accounts?id=${key}`, answer(stored, presentAccounts)],
    [`/socials?id=${key}`, answer(stored, presentSocials)],
    ...(stored
      ? []
      : ['score', 'scores', 'profile'].map((name): Question => [`/${name}?id=${key}`, UNKNOWN])),
  ],
  ofPages: (service) => [
    ...service.listed().flatMap((stored): Question[] => {
      const [score, profile] = [presentScore(service, stored), presentProfile(service, stored)]
      return [
        [`/score?id=${stored.id}`, { status: 200, body: { score } }],
        [`/scores?id=${stored.id}`, { status: 200, body: { scores: [score] } }],
        [`/profile?id=${stored.id}`, { status: 200, body: { profile } }],
        [`${SEARCH}?query[identity]=${stored.id}&query[exactMatch]=true`, pageOf([profile])],
      ]
    }),
    [SEARCH, pageOf(ranked(service).map((stored) => presentProfile(service, stored)))],
    // Nobody in the model has a Farcaster account.
    ['/farcaster/scores?fids=1,2', { status: 200, body: { scores: [] } }],
  ],
}

const SEARCH = '/search/advanced/profiles'

const pageOf = (profiles: readonly object[]): Answer => ({
  status: 200,
  body: { profiles, pagination: { current_page: 1, last_page: 1, total: profiles.length } },
})

const answer = (stored: Stored | undefined, present: (stored: Stored) => object): Answer =>
  stored ? { status: 200, body: present(stored) } : UNKNOWN

const human = (human_checkmark: boolean) => ({ human_checkmark, humanity_verified: human_checkmark })

const presentScore = (service: Service, stored: Stored) => ({
  slug: 'builder_score',
  points: stored.scores.score,
  rank_position: standingOf(service, stored).rank,
  calculating_score: service.isStale(stored.id),
})

function presentProfile(service: Service, stored: Stored) {
  const { id, record, scores } = stored
  const { display_name: name, location, tags } = record.passport_profile
  const score = presentScore(service, stored)
  return {
    ...{ id, name, display_name: name, bio: '', location, tags, image_url: '' },
    human_checkmark: scores.human_checkmark,
    main_wallet: record.main_wallet,
    main_wallet_address: record.main_wallet,
    verified_wallets: record.verified_wallets,
    builder_score: score,
    scores: [score],
  }
}

type Item = Stored['scores']['credentials'][number]

const toItem = ({ type, name, category, score, max_score, value }: Item) => ({
  ...{ slug: type, name, category, points: score, max_score, readable_value: value, uom: '' },
})

function presentAccounts({ record }: Stored) {
  const wallets = [...new Set([record.main_wallet, ...record.verified_wallets])].filter((each) => each !== '')
  return {
    accounts: [
      ...wallets.map((identifier) => ({ source: 'wallet', identifier, username: null })),
      ...record.passport_socials.map(({ source, profile_name: name }) => ({
        source,
        identifier: name,
        username: name,
      })),
    ],
  }
}

const presentSocials = ({ record }: Stored) => ({
  socials: record.passport_socials.map(({ source, profile_name: handle, follower_count }) => ({
    ...{ source, social_slug: source, handle, name: '', bio: '', location: '' },
    ...{ followers_count: toNumber(follower_count), follower_count: toNumber(follower_count) },
    ...{ following_count: null, image_url: '', profile_url: '' },
  })),
})
