import type { Credential } from '../../domain/credential.ts'
import type {
  Cause,
  CredentialChange,
  CredentialFields,
  EventContent,
  PassportField,
} from '../../domain/history/event.ts'
import type { StoredRow } from '../rows/passport.ts'

/** The events of a transaction, and the passports whose earlier events are deleted. */
export type Changes = { events: readonly EventContent[]; removed: readonly number[] }

/** A passport and the credentials that responses show. */
export type Shown = { row: StoredRow; credentials: readonly Credential[] }

/** A superseded credential is stored, but not shown. */
export const withoutSuperseded = (all: readonly Credential[]) => all.filter(({ superseded }) => !superseded)

/** The cause of a change of a credential; `undefined`: the passport did not have it, or no longer has it. */
export type CauseOf = (before: Credential | undefined, after: Credential | undefined) => Cause

export const toAdded = ({ id, score, human, rules }: StoredRow): EventContent => ({
  type: 'passport.added',
  passportId: id,
  score,
  human: human === 1,
  rules,
})

const COLUMNS: Partial<Record<keyof StoredRow, PassportField>> = {
  connections: 'connections_count',
  main_wallet: 'main_wallet',
  verified_wallets: 'verified_wallets',
  display_name: 'passport_profile.display_name',
  bio: 'passport_profile.bio',
  location: 'passport_profile.location',
  tags: 'passport_profile.tags',
  socials: 'passport_socials',
}

/** The changed fields outside of the score. */
export const listFields = (before: StoredRow, after: StoredRow): PassportField[] =>
  Object.entries(COLUMNS).flatMap(([column, field]) =>
    before[column as keyof StoredRow] === after[column as keyof StoredRow] ? [] : [field],
  )

/** The event of a changed score, or of changed credentials; `undefined` if there is no change. */
export function toScoreChanged(before: Shown, after: Shown, causeOf: CauseOf): EventContent | undefined {
  const [old, row] = [before.row, after.row]
  const credentials =
    before.credentials === after.credentials
      ? []
      : diffCredentials(before.credentials, after.credentials, causeOf)
  const isSame =
    old.score === row.score &&
    old.activity_score === row.activity_score &&
    old.identity_score === row.identity_score &&
    old.skills_score === row.skills_score &&
    old.human === row.human &&
    old.calculated_at === row.calculated_at &&
    old.rules === row.rules
  if (isSame && credentials.length === 0) return undefined
  return {
    type: 'score.changed',
    passportId: row.id,
    change: {
      score: [old.score, row.score],
      ...(old.activity_score !== row.activity_score && {
        activity: [old.activity_score, row.activity_score],
      }),
      ...(old.identity_score !== row.identity_score && {
        identity: [old.identity_score, row.identity_score],
      }),
      ...(old.skills_score !== row.skills_score && { skills: [old.skills_score, row.skills_score] }),
      ...(old.human !== row.human && { human: [old.human === 1, row.human === 1] }),
      ...(old.calculated_at !== row.calculated_at && {
        calculatedAt: [old.calculated_at, row.calculated_at],
      }),
      rules: [old.rules, row.rules],
      credentials,
    },
  }
}

/** Added ones first, and gone ones last: they are undone in this order. */
function diffCredentials(
  before: readonly Credential[],
  after: readonly Credential[],
  causeOf: CauseOf,
): CredentialChange[] {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  const added: CredentialChange[] = []
  const changes: CredentialChange[] = []
  for (const next of after) {
    const last = old.get(next.id)
    if (last === next) {
      old.delete(next.id)
      continue
    }
    if (last?.type !== next.type) {
      added.push({
        type: next.type,
        id: next.id,
        cause: causeOf(undefined, next),
        score: [null, next.score],
        before: {},
      })
      continue
    }
    old.delete(next.id)
    const fields = differingFields(last, next)
    if (!fields && last.score === next.score) continue
    changes.push({
      type: next.type,
      id: next.id,
      cause: causeOf(last, next),
      score: [last.score, next.score],
      before: fields ?? {},
    })
  }
  const gone = [...old.values()].map((last) => ({
    type: last.type,
    id: last.id,
    cause: causeOf(last, undefined),
    score: [last.score, null] as const,
    before: allFields(last),
  }))
  return [...withoutIds([...added, ...changes], before, after), ...gone]
}

/** Leaves out the id of a credential that is the only one of its type, before and after. */
function withoutIds(
  changes: readonly CredentialChange[],
  before: readonly Credential[],
  after: readonly Credential[],
): CredentialChange[] {
  if (changes.length === 0) return []
  const ids = new Map<string, string | undefined>()
  for (const { type, id } of [...before, ...after])
    ids.set(type, ids.has(type) && ids.get(type) !== id ? undefined : id)
  return changes.map(({ id, ...change }) =>
    ids.get(change.type) === undefined && id !== undefined ? { ...change, id } : change,
  )
}

const FIELDS = ['name', 'category', 'maxScore', 'value', 'calculatedAt'] as const

/** The old values of the fields that differ, except the score. */
function differingFields(before: Credential, after: Credential): CredentialFields | undefined {
  const fields: Record<string, unknown> = {}
  for (const field of FIELDS) if (before[field] !== after[field]) fields[field] = before[field]
  if (before.earnedAt !== after.earnedAt) fields.earnedAt = before.earnedAt ?? null
  return Object.keys(fields).length > 0 ? (fields as CredentialFields) : undefined
}

const allFields = ({
  name,
  category,
  maxScore,
  value,
  calculatedAt,
  earnedAt,
}: Credential): CredentialFields => ({
  name,
  category,
  maxScore,
  value,
  calculatedAt,
  ...(earnedAt !== undefined && { earnedAt }),
})
