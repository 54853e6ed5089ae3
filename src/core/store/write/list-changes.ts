import {
  type Cause,
  type Change,
  type CredentialChange,
  type CredentialFields,
  type EventContent,
  findRestCause,
  PASSPORT_FIELDS,
  type PassportField,
} from '../../history/event.ts'
import type { Credential } from '../../passport/credential.ts'
import { shownCredentialsOf, withoutSuperseded } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { survivorOf, type WriteModel } from './write-model.ts'

/** The events of a batch. `merges` also has those of hidden passports, which have no events. */
export type Changes = { events: EventContent[]; merges: MergeEvent[] }

type MergeEvent = Extract<EventContent, { type: 'passport.merged' | 'passport.unmerged' }>

/** A passport and the credentials that responses show. */
type Shown = { row: StoredRow; credentials: readonly Credential[] }

/** The cause of a credential's change. `before` is undefined for a new credential, `after` for one that is gone. */
export type CauseOf = (before: Credential | undefined, after: Credential | undefined) => Cause

/** Records add credentials, change them, or leave them out. */
export const BY_RECORD: CauseOf = (before, after) => (!before ? 'added' : !after ? 'gone' : 'record')

export const BY_MERGE: CauseOf = () => 'merge'

export function listChanges(model: WriteModel, causeOf: CauseOf): Changes {
  const { passports, before, changed, removed } = model
  const rowsOf = (ids: ReadonlySet<number>) => [...ids].flatMap((id) => passports.get(id) ?? [])
  const rows = rowsOf(changed)
  const targetBefore = ({ id }: StoredRow) => rowBefore(model, id)?.merged_into ?? null
  const moved = rows.filter((row) => targetBefore(row) !== row.merged_into)
  // Responses of survivors say which passports are merged into them.
  const targets = [
    ...moved.flatMap((row) => [targetBefore(row), row.merged_into]),
    ...[...removed].map((id) => before.passports.get(id)?.merged_into),
  ].filter((id) => typeof id === 'number')
  const survivors = new Set(targets.map((id) => survivorOf(id, passports)))
  const events = [...rows, ...rowsOf(survivors.difference(changed))].flatMap((row) =>
    toEvents(model, row, survivors.has(row.id), causeOf),
  )
  return {
    events: [...[...removed].map(toRemoved), ...events],
    merges: moved.flatMap((row) => toMerge(targetBefore(row), row)),
  }
}

const rowBefore = ({ before, removed }: WriteModel, id: number) =>
  removed.has(id) ? undefined : before.passports.get(id)

/** A hidden passport is like a removed one. */
function toEvents(model: WriteModel, row: StoredRow, isSurvivor: boolean, causeOf: CauseOf): EventContent[] {
  const before = rowBefore(model, row.id)
  const isKnown = before?.hidden_at === null
  if (row.hidden_at !== null) return isKnown ? [toRemoved(row.id)] : []
  if (!isKnown) return [toAdded(row), ...toMerge(null, row)]
  const fields = listFields(before, row, isSurvivor)
  const score = compareScores(model, before, row, causeOf)
  return [
    ...(fields.length > 0 ? [{ type: 'passport.changed', passportId: row.id, fields } as const] : []),
    ...toMerge(before.merged_into, row),
    ...(score ? [score] : []),
  ]
}

function compareScores(model: WriteModel, before: StoredRow, row: StoredRow, causeOf: CauseOf) {
  const credentials = model.newCredentials.get(row.id)?.shown
  if (!credentials)
    return toScoreChanged({ row: before, credentials: NONE }, { row, credentials: NONE }, causeOf)
  const [stored, next] = [model.before.credentials.get(row.id), model.credentials.get(row.id)]
  return toScoreChanged(
    { row: before, credentials: shownCredentialsOf(stored) },
    { row, credentials: withoutSuperseded(credentials) },
    causeOf,
    // v3 shows another origin of a credential.
    next?.given !== stored?.given || next?.issuers !== stored?.issuers,
  )
}

const NONE: readonly Credential[] = []

function toMerge(from: number | null, { id, merged_into: into }: StoredRow): MergeEvent[] {
  if (from === into) return []
  if (into !== null) return [{ type: 'passport.merged', passportId: id, into }]
  return from === null ? [] : [{ type: 'passport.unmerged', passportId: id, from }]
}

const toRemoved = (passportId: number): EventContent => ({ type: 'passport.removed', passportId })

const toAdded = ({ id, score, human, rules }: StoredRow): EventContent => ({
  type: 'passport.added',
  passportId: id,
  score,
  human: human === 1,
  rules,
})

const COLUMNS = {
  connections_count: 'connections',
  main_wallet: 'main_wallet',
  verified_wallets: 'verified_wallets',
  passport_socials: 'socials',
} as const

/** The changed fields that are not part of the score, in the order of `PASSPORT_FIELDS`, which the hash chain needs. */
function listFields(before: StoredRow, after: StoredRow, isSurvivor: boolean): PassportField[] {
  const columns = Object.entries(COLUMNS).filter(([, column]) => before[column] !== after[column])
  const changed: string[] = [
    ...(isSurvivor ? ['merged_from'] : []),
    ...listDifferent(before.profile, after.profile).map((name) => `passport_profile.${name}`),
    ...listDifferent(before.given, after.given),
    ...columns.map(([field]) => field),
  ]
  return PASSPORT_FIELDS.filter((field) => changed.includes(field))
}

function listDifferent(before: string, after: string): string[] {
  if (before === after) return []
  const [old, next] = [JSON.parse(before), JSON.parse(after)]
  return Object.keys({ ...old, ...next }).filter((name) => !Bun.deepEquals(old[name], next[name]))
}

/**
 * The event for a changed score or changed credentials. `undefined` if nothing changed. `isOtherwiseChanged`: whether
 * what an event does not have, such as the issuer of a credential, has changed.
 */
export function toScoreChanged(before: Shown, after: Shown, causeOf: CauseOf, isOtherwiseChanged = false) {
  const [old, row] = [before.row, after.row]
  const credentials = diffCredentials(before.credentials, after.credentials, causeOf)
  const parts = Object.entries(PARTS).filter(([, column]) => old[column] !== row[column])
  const isSame = old.score === row.score && old.rules === row.rules && parts.length + credentials.length === 0
  if (isSame && !isOtherwiseChanged) return undefined
  const rest = findRestCause(
    { ...old, credentials: before.credentials },
    { ...row, credentials: after.credentials },
  )
  return {
    type: 'score.changed',
    passportId: row.id,
    change: {
      score: [old.score, row.score],
      ...Object.fromEntries(parts.map(([name, column]) => [name, [old[column], row[column]]])),
      ...(old.human !== row.human && { human: [old.human === 1, row.human === 1] as Change<boolean> }),
      rules: [old.rules, row.rules],
      credentials,
      ...(rest && { rest }),
    },
  } satisfies EventContent
}

/** The optional members of a score change, and their columns. */
const PARTS = {
  activity: 'activity_score',
  identity: 'identity_score',
  skills: 'skills_score',
  human: 'human',
  calculatedAt: 'calculated_at',
} as const

/** Added credentials come first, and gone ones last, because changes are undone in this order. */
function diffCredentials(before: readonly Credential[], after: readonly Credential[], causeOf: CauseOf) {
  if (before === after) return []
  const old = new Map(before.map((credential) => [credential.id, credential]))
  const added: CredentialChange[] = []
  const changes: CredentialChange[] = []
  let ambiguous: ReadonlySet<string> | undefined
  const toChange = (last: Credential | undefined, next: Credential | undefined): CredentialChange => {
    const { type, id } = (next ?? last) as Credential
    ambiguous ??= listAmbiguous([...before, ...after])
    return {
      type,
      cause: causeOf(last, next),
      score: [last?.score ?? null, next?.score ?? null],
      before: last ? oldFields(last, next) : {},
      ...((!next || ambiguous.has(type)) && { id }),
    }
  }
  for (const next of after) {
    const last = old.get(next.id)
    if (last?.type !== next.type) added.push(toChange(undefined, next))
    else {
      old.delete(next.id)
      if (last !== next && !isSame(last, next)) changes.push(toChange(last, next))
    }
  }
  return [...added, ...changes, ...[...old.values()].map((last) => toChange(last, undefined))]
}

/** The types of which a passport has, or had, several credentials. */
function listAmbiguous(credentials: readonly Credential[]): ReadonlySet<string> {
  const ids = new Map<string, string>()
  return new Set(credentials.flatMap(({ type, id }) => (ids.getOrInsert(type, id) === id ? [] : [type])))
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
