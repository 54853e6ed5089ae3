import type { Database } from 'bun:sqlite'
import type { Credential } from '../../domain/credential.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { ADOPT_STEP, applyScore, toScorable } from '../apply-score.ts'
import { STALE_COUNT } from '../rows/counts.ts'
import { fromCredentialData, isAsShown } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../rows/v1.ts'
import type { ScoringStore, Work } from '../store.ts'
import { isFault } from './connect.ts'
import { createCredentialReader, createDataPointReader } from './credentials-and-points.ts'
import { createSettings } from './settings.ts'
import { createWriteModel } from './write-model.ts'

type Connections = { reader: Database; writer: Database; find: (ref: PassportRef) => number | undefined }

export function createScoring({ reader, writer, find }: Connections): ScoringStore {
  const model = createWriteModel(writer)
  const dataPoints = createDataPointReader(writer)
  const credentialReader = createCredentialReader(writer)
  const listStale = writer.query<StoredRow, [number]>(
    'select * from passports where stale <> 0 and stale = 1 order by id limit ?',
  )
  const countStale = reader.query<{ count: number }, []>(STALE_COUNT)
  const setAside = writer.query('update passports set stale = 2 where id = ?')
  const countChange = writer.query('update ranking set version = version + 1')
  const settings = createSettings(writer)
  const markStep = createMarker(writer)

  const load = (row: StoredRow) => {
    const stored = credentialReader.find(row.id)
    const all = fromCredentialData(stored)
    return { all, isShown: isAsShown(stored), scorable: toScorable(row, all, dataPoints.list(row.id)) }
  }

  /** Everything that may fail comes before the first write: a passport that cannot be scored stays as it was. */
  function saveOne(before: StoredRow, { rules, now, score }: Work): void {
    const { all, isShown, scorable } = load(before)
    const { row, credentials } = applyScore(before, all, score(scorable), { rules, now })
    const isUnchanged = isShown && isSameList(all, credentials)
    const isListed = row.merged_into === null
    const v1 = isListed && toV1PassportRow(row, model.passports.listMerged(row.id).length > 0)
    const shown = isListed && !isUnchanged && toV1CredentialsRow(row.id, credentials)
    model.passports.put(row)
    if (v1) model.v1.putPassport(v1)
    if (isUnchanged) return
    model.credentials.put(row.id, credentials, isListed)
    if (shown) model.v1.putCredentials(shown)
  }

  const work = writer.transaction((limit: number, order: Work) => {
    if ((model.rules() ?? order.rules) !== order.rules) return undefined
    const rows = listStale.all(limit)
    for (const row of rows) {
      try {
        saveOne(row, order)
      } catch (error) {
        if (isFault(error)) throw error
        // One that cannot be scored must not keep the others waiting.
        setAside.run(row.id)
        order.onFailure(row.id, error)
      }
    }
    if (rows.length > 0) countChange.run()
    return rows.length
  })

  const adopt = writer.transaction((rules: string) => {
    const inForce = settings.get('rules')
    if (inForce === rules && settings.get('adopting') === undefined) return true
    if (settings.get('adopting') !== rules) {
      settings.set('adopting', rules)
      settings.set('adopted_to', '-1')
    }
    // Scores that records brought along stand until a rule set follows another.
    const end = markStep(Number(settings.get('adopted_to')), { except: rules, given: inForce !== undefined })
    if (end !== undefined) {
      settings.set('adopted_to', String(end))
      return false
    }
    settings.set('rules', rules)
    settings.remove('adopting')
    settings.remove('adopted_to')
    return true
  })

  const markAllStep = writer.transaction((after: number) => markStep(after, { except: null, given: true }))

  return {
    work: (limit, order) => work.immediate(limit, order),
    find(ref: PassportRef) {
      const id = find(ref)
      const row = id === undefined ? undefined : model.passports.find(id)
      return row && load(row).scorable
    },
    countStale: () => countStale.get()?.count ?? 0,
    markAll() {
      for (let after: number | undefined = -1; after !== undefined; after = markAllStep.immediate(after));
    },
    adopt: (rules) => adopt.immediate(rules),
  }
}

/** Credentials that scoring left alone are the same objects. */
const isSameList = (before: readonly Credential[], after: readonly Credential[]) =>
  before.length === after.length && after.every((credential) => before.includes(credential))

/** Marks the passports of one step as stale; gives back where the step ended, or `undefined` at the end. */
function createMarker(writer: Database) {
  const findEnd = writer.query<{ id: number | null }, [number, number]>(
    'select max(id) as id from (select id from passports where id > ? order by id limit ?)',
  )
  const mark = writer.query<unknown, [number, number, string | null, number]>(
    `update passports set stale = 1 where id > ?1 and id <= ?2 and stale <> 1
       and (?3 is null or rules <> ?3) and (rules <> '' or ?4)`,
  )
  const countChange = writer.query('update ranking set version = version + 1')
  return (after: number, { except, given }: { except: string | null; given: boolean }) => {
    const end = findEnd.get(after, ADOPT_STEP)?.id ?? null
    if (end === null) return undefined
    if (mark.run(after, end, except, Number(given)).changes > 0) countChange.run()
    return end
  }
}
