import { type Answer, standingOf, UNKNOWN } from '../../model/answers.ts'
import type { VersionModel } from '../../model/question.ts'
import type { Service, Stored } from '../../model/service.ts'

/** Ranks may be a second old, so they are compared in the lists of v3 only. */
export const LATER_MODEL: VersionModel = {
  ofPassport: (_service, key, stored) => [
    [`/human_checkmark?id=${key}`, answer(stored, ({ scores }) => human(scores.human_checkmark))],
    [
      `/credentials?id=${key}`,
      answer(stored, ({ scores }) => ({ credentials: scores.credentials.map(toItem) })),
    ],
    [`/accounts?id=${key}`, answer(stored, presentAccounts)],
  ],
  ofPages: (service) =>
    service
      .listed()
      .map((stored) => [
        `/score?id=${stored.id}`,
        { status: 200, body: { score: presentScore(service, stored) } },
      ]),
}

const answer = (stored: Stored | undefined, present: (stored: Stored) => object): Answer =>
  stored ? { status: 200, body: present(stored) } : UNKNOWN

const human = (human_checkmark: boolean) => ({ human_checkmark, humanity_verified: human_checkmark })

const presentScore = (service: Service, stored: Stored) => ({
  slug: 'builder_score',
  points: stored.scores.score,
  rank_position: standingOf(service, stored).rank,
  calculating_score: service.isStale(stored.id),
})

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
