import type { Credential } from '../../domain/credential.ts'
import type { EventContent } from '../../domain/history/event.ts'
import type { StoredRow } from '../rows/passport.ts'
import {
  type CauseOf,
  type Changes,
  listFields,
  toAdded,
  toScoreChanged,
  withoutSuperseded,
} from './changes.ts'
import type { WriteModel } from './write-model.ts'

/** For records: they add credentials, change them, or leave them out. */
export const BY_RECORD: CauseOf = (before, after) => (!before ? 'added' : !after ? 'gone' : 'record')

export const BY_MERGE: CauseOf = () => 'merge'

/** A passport before the transaction. The credentials of a merged passport are in no response: they are read at once. */
type Before = { row: StoredRow; credentials?: readonly Credential[] }

/** Changed rows by id; `undefined` ones are not read yet. */
type ChangedRows = ReadonlyMap<number, StoredRow | undefined>

type ShownCredentials = ReadonlyMap<number, readonly Credential[]>

/** Compares the passports of a transaction before and after it. */
export function trackEvents({ passports, credentials }: WriteModel, causeOf: CauseOf) {
  const before = new Map<number, Before | undefined>()
  const removed = new Map<number, StoredRow>()

  /** Must be called before the row changes. Returns the row before the transaction. */
  function recordBefore(id: number): StoredRow | undefined {
    if (before.has(id)) return before.get(id)?.row
    const row = passports.find(id)
    const isMerged = row !== undefined && row.merged_into !== null
    before.set(id, row && { row, ...(isMerged && { credentials: withoutSuperseded(credentials.list(id)) }) })
    return row
  }

  function recordRemoval(id: number): void {
    const row = recordBefore(id)
    if (row) removed.set(id, row)
    before.set(id, undefined)
  }

  function compareScores(
    old: Before,
    row: StoredRow,
    shown?: readonly Credential[],
  ): EventContent | undefined {
    const isKept = !shown && old.row.merged_into === null && row.merged_into === null
    if (isKept)
      return toScoreChanged({ row: old.row, credentials: NONE }, { row, credentials: NONE }, causeOf)
    const credentialsBefore = old.credentials ?? credentials.listShown(row.id)
    const credentialsAfter = withoutSuperseded(shown ?? credentials.list(row.id))
    return toScoreChanged(
      { row: old.row, credentials: credentialsBefore },
      { row, credentials: credentialsAfter },
      causeOf,
    )
  }

  function toEvents(row: StoredRow, isSurvivor: boolean, shown?: readonly Credential[]): EventContent[] {
    const old = before.get(row.id)
    if (!old && before.has(row.id)) return [toAdded(row), ...toMerge(null, row)]
    const fields = [...(old ? listFields(old.row, row) : []), ...(isSurvivor ? MERGED_FROM : [])]
    const score = old && compareScores(old, row, shown)
    return [
      ...(fields.length > 0 ? [{ type: 'passport.changed', passportId: row.id, fields } as const] : []),
      ...(old ? toMerge(old.row.merged_into, row) : []),
      ...(score ? [score] : []),
    ]
  }

  return {
    recordBefore,
    recordRemoval,
    /** Must be called before the V1 responses are rendered. */
    compare(rows: ChangedRows, shown: ShownCredentials): Changes {
      const survivors = listSurvivors(rows, before, removed)
      const events = [...removed.keys()].map(
        (passportId): EventContent => ({ type: 'passport.removed', passportId }),
      )
      for (const [id, known] of rows) {
        const row = known ?? passports.find(id)
        if (row) events.push(...toEvents(row, survivors.has(id), shown.get(id)))
      }
      return { events, removed: [...removed.keys()] }
    },
  }
}

/** The survivors that gained or lost a merged passport. */
function listSurvivors(
  rows: ChangedRows,
  before: ReadonlyMap<number, Before | undefined>,
  removed: ReadonlyMap<number, StoredRow>,
): Set<number | null> {
  const moves = [...rows].flatMap(([id, row]) => {
    const [from, into] = [before.get(id)?.row.merged_into ?? null, row?.merged_into ?? null]
    return row === undefined || from === into ? [] : [from, into]
  })
  return new Set([...moves, ...[...removed.values()].map(({ merged_into }) => merged_into)])
}

const NONE: readonly Credential[] = []

const MERGED_FROM = ['merged_from'] as const

function toMerge(from: number | null, { id, merged_into: into }: StoredRow): EventContent[] {
  if (from === into) return []
  if (into !== null) return [{ type: 'passport.merged', passportId: id, into }]
  return from === null ? [] : [{ type: 'passport.unmerged', passportId: id, from }]
}
