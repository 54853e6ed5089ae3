import { expect } from 'bun:test'
import { OPEN, type Service, type Stored } from './service.ts'

/** What the service must answer to a GET. Members whose value the docs leave open are left out: see `simplify`. */
export type Answer = { status: number; body?: unknown }

export const UNKNOWN: Answer = { status: 404 }

/** The key of a passport leads to the survivor of its merges. Keys of hidden passports lead nowhere. */
export function findById(service: Service, id: number | undefined): Stored | undefined {
  if (id === undefined || !service.has(id)) return undefined
  const survivor = service.passport(service.survivorOf(id))
  return survivor.isHidden || service.passport(id).isHidden ? undefined : survivor
}

export const findByWallet = (service: Service, wallet: string) =>
  findById(service, service.ownerOf(wallet.toLowerCase()))

/** The passports with this handle: several make it ambiguous. */
export function findByHandle(service: Service, handle: string): Stored[] {
  const holders = service
    .stored()
    .filter(({ record }) =>
      record.passport_socials.some((social) => `${social.source}:${social.profile_name}` === handle),
    )
  return [...new Set(holders.flatMap(({ id }) => findById(service, id) ?? []))]
}

export const v3Passport = (service: Service, found: readonly Stored[]): Answer =>
  found.length > 1
    ? { status: 409, body: { candidates: found.map(({ id }) => id).toSorted((one, other) => one - other) } }
    : found[0]
      ? { status: 200, body: { ...presentV3(service, found[0]), ...included(service, found[0]) } }
      : UNKNOWN

const CATEGORY_SCORES = ['activity_score', 'identity_score', 'skills_score', 'score'] as const

export const scoresOf = ({ scores }: Stored) =>
  Object.fromEntries(CATEGORY_SCORES.map((field) => [field, scores[field]]))

/** A follower count that is recorded as plain digits, or unknown. */
export const toNumber = (text: string | undefined) => (text ? Number(text) : null)

export function presentV3(service: Service, stored: Stored) {
  const { id, record, scores } = stored
  const { display_name, location, tags } = record.passport_profile
  return {
    passport_id: id,
    ...scoresOf(stored),
    calculating_score: service.isStale(id),
    human_checkmark: scores.human_checkmark,
    main_wallet: record.main_wallet || null,
    verified_wallets: record.verified_wallets,
    passport_profile: { display_name: display_name || null, bio: null, location: location || null, tags },
    passport_socials: record.passport_socials.map(({ source, profile_name, follower_count }) => ({
      source,
      profile_name,
      profile_display_name: null,
      profile_bio: null,
      location: null,
      profile_url: null,
      profile_image_url: null,
      follower_count: toNumber(follower_count),
      following_count: null,
    })),
    merged_from: service.mergedFrom(id),
    rules: rulesOf(stored),
  }
}

/** The stamp of the scores. */
export const rulesOf = ({ scores: { rules } }: Pick<Stored, 'scores'>): unknown =>
  rules === OPEN ? ANY_STAMP : rules

/** Also matches null. */
const ANY_STAMP = expect.not.stringMatching(/^$/)

function included(service: Service, { scores, points, record }: Stored) {
  const unruled = [...points.values()].filter(({ type }) => !service.rules.types[type])
  const lines = [
    ...scores.credentials.map(({ type, score, from }) => ({ type, score, from })),
    ...[...new Set(unruled.map(({ type }) => type))].map((type) => ({ type, score: 0, from: 'nothing' })),
  ]
  return {
    credentials: scores.credentials.map((each) => ({ ...each, value: each.value || null, earned_at: null })),
    explanation: { score: scores.score, given_human: record.human_checkmark, lines: lines.toSorted(byText) },
  }
}

export const v3Standing = (service: Service, stored: Stored): Answer => ({
  status: 200,
  body: { standing: standingOf(service, stored) },
})

export function standingOf(service: Service, { scores }: Stored) {
  const place = (field: 'score' | 'activity_score' | 'identity_score' | 'skills_score') => {
    const all = service.listed().map((each) => each.scores[field])
    const lower = all.filter((score) => score < scores[field]).length
    const percentile = Math.floor((lower * 1000) / all.length) / 10
    return { rank: 1 + all.filter((score) => score > scores[field]).length, of: all.length, percentile }
  }
  const [activity, identity, skills] = [
    place('activity_score'),
    place('identity_score'),
    place('skills_score'),
  ]
  return { ...place('score'), parts: { activity, identity, skills } }
}

const byText = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

/** Lists: highest score first; equal scores by id. */
export const ranked = (service: Service) =>
  service.listed().toSorted((one, other) => other.scores.score - one.scores.score || one.id - other.id)

/**
 * Removes what the docs leave open, or what only a clock or a hash can know, from a body: times, messages, ids of
 * credentials that a rule made, and the digest in a stamp. Ids are there, and are compared between versions of the API.
 */
export function simplify(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(simplify)
  if (body === null || typeof body !== 'object') return body
  const entries = Object.entries(body).filter(([name]) => !LEFT_OUT.has(name))
  const simple: Record<string, unknown> = Object.fromEntries(
    entries.map(([name, value]) => [name, simplify(value)]),
  )
  if (typeof simple.rules === 'string') simple.rules = simple.rules.replace(/\+.*/, '')
  if (typeof simple.id === 'string' && /^[0-9a-f-]{36}$/.test(simple.id)) simple.id = 'by rule'
  if (Array.isArray(simple.lines))
    simple.lines = simple.lines.map(({ type, score, from }) => ({ type, score, from })).toSorted(byText)
  if ('given_human' in simple)
    return { score: simple.score, given_human: simple.given_human, lines: simple.lines }
  return simple
}

const LEFT_OUT = new Set(['last_calculated_at', 'rules_digest', 'issuer', 'data_issuer_name', 'description'])
