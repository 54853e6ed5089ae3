import {
  type Cause,
  type CredentialChange,
  type CredentialFields,
  type EventContent,
  findRestCause,
  PASSPORT_FIELDS,
  type PassportField,
} from '../../history/event.ts'
import type { ScoreField } from '../../lists/list-request.ts'
import type { Credential } from '../../passport/credential.ts'
import { fromCredentialsRow, shownCredentialsOf } from '../rows/credential.ts'
import { isVisible, type StoredRow } from '../rows/passport.ts'
import { listCredentials, survivorOf, type WriteModel } from './write-model.ts'

/**
 * The events of a transaction, and the passports whose earlier events are deleted. Those that were hidden keep the events
 * of their removal.
 */
export type Changes = {
  events: readonly EventContent[]
  removed?: readonly number[]
  unhidden?: readonly number[]
}

/** A passport and the credentials that responses show. */
type Shown = { row: StoredRow; credentials: readonly Credential[] }

/** A superseded credential is stored, but not shown. */
export const withoutSuperseded = (all: readonly Credential[]) => all.filter(({ superseded }) => !superseded)

/** The cause of a credential's change. `before` is undefined for a new credential, `after` for one that is gone. */
export type CauseOf = (before: Credential | undefined, after: Credential | undefined) => Cause

/** Records add credentials, change them, or leave them out. */
export const BY_RECORD: CauseOf = (before, after) => (!before ? 'added' : !after ? 'gone' : 'record')

export const BY_MERGE: CauseOf = () => 'merge'

/** Compares passports before and after a batch. */
export function listChanges(model: WriteModel, causeOf: CauseOf): Changes {
  const { passports, changed, removed } = model
  const rows = [...changed].flatMap((id) => passports.get(id) ?? [])
  const survivors = listSurvivors(model, rows)
  const others = survivors.difference(changed)
  rows.push(...[...others].flatMap((id) => passports.get(id) ?? []))
  return {
    events: [
      ...[...removed].map((passportId) => ({ type: 'passport.removed', passportId }) as const),
      ...rows.flatMap((row) => toEvents(model, row, survivors.has(row.id), causeOf)),
    ],
    removed: [...removed],
    unhidden: rows.filter((row) => isUnhidden(model, row)).map(({ id }) => id),
  }
}

/** The passports that gained or lost a merged passport: responses say which passports are merged into them. */
function listSurvivors(model: WriteModel, rows: readonly StoredRow[]): Set<number> {
  const moves = rows.flatMap((row) => {
    const from = rowBefore(model, row.id)?.merged_into ?? null
    return from === row.merged_into ? [] : [from, row.merged_into]
  })
  const left = [...model.removed].map((id) => model.before.passports.get(id)?.merged_into)
  const targets = [...moves, ...left].filter((id) => typeof id === 'number')
  return new Set(targets.map((id) => survivorOf(id, model.passports)))
}

const rowBefore = ({ before, removed }: WriteModel, id: number) =>
  removed.has(id) ? undefined : before.passports.get(id)

const isUnhidden = (model: WriteModel, { id, hidden_at }: StoredRow) =>
  hidden_at === null && typeof rowBefore(model, id)?.hidden_at === 'number'

function toEvents(model: WriteModel, row: StoredRow, isSurvivor: boolean, causeOf: CauseOf): EventContent[] {
  const passportId = row.id
  const before = rowBefore(model, passportId)
  if (!before || isUnhidden(model, row)) return [toAdded(row), ...toMerge(null, row)]
  if (before.hidden_at === null && row.hidden_at !== null) return [{ type: 'passport.removed', passportId }]
  const fields = listFields(before, row, isSurvivor)
  const score = compareScores(model, before, row, causeOf)
  return [
    ...(fields.length > 0 ? [{ type: 'passport.changed', passportId, fields } as const] : []),
    ...toMerge(before.merged_into, row),
    ...(score ? [score] : []),
  ]
}

function compareScores(model: WriteModel, before: StoredRow, row: StoredRow, causeOf: CauseOf) {
  const { id } = row
  const [shown, stored] = [model.given.get(id)?.shown, model.before.credentials.get(id)]
  const isKept = !shown && isVisible(before) && isVisible(row)
  const credentialsBefore = () =>
    isVisible(before) ? shownCredentialsOf(stored) : withoutSuperseded(fromCredentialsRow(stored))
  const next = model.credentials.get(id)
  /** Whether v3 shows another origin of a credential. */
  const isRewritten = () =>
    shown !== undefined && (next?.given !== stored?.given || next?.issuers !== stored?.issuers)
  return toScoreChanged(
    { row: before, credentials: isKept ? NONE : credentialsBefore() },
    { row, credentials: isKept ? NONE : withoutSuperseded(shown ?? listCredentials(model, id)) },
    causeOf,
    isRewritten,
  )
}

const NONE: readonly Credential[] = []

function toMerge(from: number | null, { id, merged_into: into }: StoredRow): EventContent[] {
  if (from === into) return []
  if (into !== null) return [{ type: 'passport.merged', passportId: id, into }]
  return from === null ? [] : [{ type: 'passport.unmerged', passportId: id, from }]
}

const toAdded = ({ id, score, human, rules }: StoredRow): EventContent => ({
  type: 'passport.added',
  passportId: id,
  score,
  human: human === 1,
  rules,
})

const COLUMNS = {
  connections: 'connections_count',
  main_wallet: 'main_wallet',
  verified_wallets: 'verified_wallets',
  socials: 'passport_socials',
} as const

/** The changed fields that are not part of the score, in the order of `PASSPORT_FIELDS`, which the hash chain needs. */
function listFields(before: StoredRow, after: StoredRow, isSurvivor: boolean): PassportField[] {
  const changed: string[] = [
    ...(isSurvivor ? ['merged_from'] : []),
    ...listDifferent(before.profile, after.profile).map((name) => `passport_profile.${name}`),
    ...listDifferent(before.given, after.given),
  ]
  for (const column of Object.keys(COLUMNS) as (keyof typeof COLUMNS)[])
    if (before[column] !== after[column]) changed.push(COLUMNS[column])
  return PASSPORT_FIELDS.filter((field) => changed.includes(field))
}

/** The names of the members that differ in two objects, as JSON. */
function listDifferent(before: string, after: string): string[] {
  if (before === after) return []
  const [old, next] = [JSON.parse(before), JSON.parse(after)]
  return Object.keys({ ...old, ...next }).filter((name) => !Bun.deepEquals(old[name], next[name]))
}

/**
 * The event for a changed score or changed credentials. `undefined` if nothing changed. `isOtherwiseChanged`: whether
 * what an event does not have, such as the issuer of a credential, has changed.
 */
export function toScoreChanged(
  before: Shown,
  after: Shown,
  causeOf: CauseOf,
  isOtherwiseChanged: () => boolean,
): EventContent | undefined {
  const [old, row] = [before.row, after.row]
  const credentials =
    before.credentials === after.credentials
      ? []
      : diffCredentials(before.credentials, after.credentials, causeOf)
  const changeOf = (column: ScoreField | 'human' | 'calculated_at') =>
    old[column] === row[column] ? undefined : ([old[column], row[column]] as const)
  const activity = changeOf('activity_score')
  const identity = changeOf('identity_score')
  const skills = changeOf('skills_score')
  const [human, calculatedAt] = [changeOf('human'), changeOf('calculated_at')]
  const isSame =
    !(changeOf('score') || activity || identity || skills || human || calculatedAt) && old.rules === row.rules
  if (isSame && credentials.length === 0 && !isOtherwiseChanged()) return undefined
  const rest = findRestCause(
    { ...old, credentials: before.credentials },
    { ...row, credentials: after.credentials },
  )
  return {
    type: 'score.changed',
    passportId: row.id,
    change: {
      score: [old.score, row.score],
      ...(activity && { activity }),
      ...(identity && { identity }),
      ...(skills && { skills }),
      ...(human && { human: [human[0] === 1, human[1] === 1] as const }),
      ...(calculatedAt && { calculatedAt }),
      rules: [old.rules, row.rules],
      credentials,
      ...(rest && { rest }),
    },
  }
}

/** Added credentials come first, and gone ones last, because changes are undone in this order. */
function diffCredentials(
  before: readonly Credential[],
  after: readonly Credential[],
  causeOf: CauseOf,
): CredentialChange[] {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  const added: CredentialChange[] = []
  const changes: CredentialChange[] = []
  const toChange = (last: Credential | undefined, next: Credential | undefined): CredentialChange => {
    const { type, id } = (next ?? last) as Credential
    const score = [last?.score ?? null, next?.score ?? null] as const
    return { type, id, cause: causeOf(last, next), score, before: last ? oldFields(last, next) : {} }
  }
  for (const next of after) {
    const last = old.get(next.id)
    if (last?.type !== next.type) added.push(toChange(undefined, next))
    else {
      old.delete(next.id)
      if (last !== next && !isSame(last, next)) changes.push(toChange(last, next))
    }
  }
  const gone = [...old.values()].map((last) => toChange(last, undefined))
  return [...withoutIds([...added, ...changes], before, after), ...gone]
}

/** Leaves out the id of a credential if no other credential has its type, neither before nor after. */
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

const isSame = (before: Credential, after: Credential) =>
  before.score === after.score &&
  before.earnedAt === after.earnedAt &&
  FIELDS.every((field) => before[field] === after[field])

/** The old values of the fields that differ, except the score. If the credential is gone, all fields differ. */
function oldFields(before: Credential, after: Credential | undefined): CredentialFields {
  const fields: Record<string, unknown> = {}
  // The log does not have the texts of values, so that people can correct and erase them.
  for (const field of FIELDS)
    if (before[field] !== after?.[field]) fields[field] = field === 'value' ? '' : before[field]
  if (before.earnedAt !== after?.earnedAt) fields.earnedAt = before.earnedAt ?? null
  return fields
}
