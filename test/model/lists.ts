import { type Answer, presentV3, ranked } from './answers.ts'
import type { Service, Stored } from './service.ts'

/** Filters with what they mean. */
export const FILTERS: readonly [filter: string, matches: (stored: Stored) => boolean][] = [
  ['score:>5', ({ scores }) => scores.score > 5],
  ['skills_score:<=10', ({ scores }) => scores.skills_score <= 10],
  ['human:true', ({ scores }) => scores.human_checkmark],
  ['tag:maps', ({ record }) => record.passport_profile.tags.includes('maps')],
  [
    'tag:!bot|maps',
    ({ record }) =>
      !record.passport_profile.tags.includes('bot') || record.passport_profile.tags.includes('maps'),
  ],
  [
    'location:ROME,human:false',
    ({ record, scores }) => record.passport_profile.location === 'Rome' && !scores.human_checkmark,
  ],
  ['type:code', (stored) => typesOf(stored).includes('code')],
  ['type:!code', (stored) => !typesOf(stored).includes('code')],
  [
    'points:code>5',
    ({ scores }) => scores.credentials.some(({ type, score }) => type === 'code' && score > 5),
  ],
  ['source:lens|github', ({ record }) => record.passport_socials.length > 0],
]

export const GROUPS: Record<string, (stored: Stored) => readonly string[]> = {
  type: (stored) => typesOf(stored),
  tag: ({ record }) => record.passport_profile.tags,
  location: ({ record }) => [record.passport_profile.location].filter((text) => text !== ''),
  source: ({ record }) => record.passport_socials.map(({ source }) => source),
  human: ({ scores }) => [String(scores.human_checkmark)],
}

export const SORTS: Record<string, (stored: Stored) => number> = {
  '-score': ({ scores }) => scores.score,
  '-skills_score': ({ scores }) => scores.skills_score,
  '-activity_score': ({ scores }) => scores.activity_score,
}

/** Types of credentials with a score above 0. */
const typesOf = ({ scores }: Stored) =>
  scores.credentials.filter(({ score }) => score > 0).map(({ type }) => type)

/** The number of passports per page of lists. */
export const LIMIT = 2

/** All pages of a list, one after another. */
export function listAll(
  service: Service,
  matches: (stored: Stored) => boolean = () => true,
  by = SORTS['-score'],
) {
  const all = ranked(service).filter(matches)
  if (by) all.sort((one, other) => by(other) - by(one) || one.id - other.id)
  return all.map((stored) => presentV3(service, stored))
}

/** Counts of all matching passports: the largest first, then by value. */
export function groupsOf(service: Service, field: string): Answer['body'] {
  const values = service.listed().flatMap((stored): (string | null)[] => {
    const own = [...new Set(GROUPS[field]?.(stored))]
    return own.length > 0 ? own : [null]
  })
  const groups = [...new Set(values)].map((label) => ({
    field,
    value: label?.toLowerCase() ?? null,
    label,
    count: values.filter((each) => each === label).length,
  }))
  return groups.toSorted(
    (one, other) => other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1),
  )
}
