import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { type ScoreRow, toScoreRow, toScores } from '../rows/passport.ts'
import type { Scorable, ScoringStore, Work } from '../store.ts'
import { isFault } from './connect.ts'
import { createCredentialReader, createCredentialWriter } from './credentials.ts'
import { createDataPointReader } from './data-points.ts'
import { createSettings } from './settings.ts'

type StaleRow = ScoreRow & { id: number; given_human: number; rules: string }

/** How many passports a new rule set marks in one transaction. */
const ADOPT_STEP = 5000

export function createScoring({ reader, writer, find }: Connections): ScoringStore {
  const source = { credentials: createCredentialReader(writer), dataPoints: createDataPointReader(writer) }
  const credentials = createCredentialWriter(writer)
  const columns = 'id, score, activity_score, identity_score, skills_score, given_human, rules'
  const listStale = writer.query<StaleRow, [number]>(
    `select ${columns} from passports where stale = 1 order by id limit ?`,
  )
  const findRow = writer.query<StaleRow, [number]>(`select ${columns} from passports where id = ?`)
  const countStale = reader.query<{ count: number }, []>(
    'select count(*) as count from passports where stale = 1',
  )
  const save = writer.query(
    `update passports set score = $score, activity_score = $activity_score, identity_score = $identity_score,
       skills_score = $skills_score, human = $human, stale = 0, calculated_at = $now, rules = $rules where id = $id`,
  )
  const setAside = writer.query('update passports set stale = 2 where id = ?')
  const countChange = writer.query('update ranking set version = version + 1')
  const markAll = writer.query('update passports set stale = 1 where id > ? and id <= ? and stale <> 1')
  const markOthers = writer.query(
    `update passports set stale = 1
     where id > ? and id <= ? and stale <> 1 and rules <> ? and (rules <> '' or ?)`,
  )
  const stepEnd = writer.query<{ id: number | null }, [number, number]>(
    'select max(id) as id from (select id from passports where id > ? order by id limit ?)',
  )
  const settings = createSettings(writer)

  const toScorable = (row: StaleRow) => {
    const all = source.credentials.listAll(row.id)
    const scorable: Scorable = {
      id: row.id,
      given: all.filter(({ givenScore }) => givenScore !== undefined),
      dataPoints: source.dataPoints.list(row.id),
      givenHuman: row.given_human === 1,
      scores: toScores(row),
      rules: row.rules,
    }
    return { all, scorable }
  }

  /** Tells whether the place in the list may have changed. A transaction of its own, inside the one of the batch. */
  const saveOne = writer.transaction((row: StaleRow, rules: string, now: number, score: Work['score']) => {
    const { all, scorable } = toScorable(row)
    const scored = score(scorable)
    const scores = toScoreRow(scored.scores)
    credentials.update(row.id, all, scored.credentials)
    save.run({ ...scores, human: Number(scored.human), now, rules, id: row.id })
    return scores.score !== row.score
  })

  const work = writer.transaction((limit: number, { rules, now, score, onFailure }: Work) => {
    if ((settings.get('adopting') ?? settings.get('rules') ?? rules) !== rules) return undefined
    const rows = listStale.all(limit)
    let moved = false
    for (const row of rows) {
      try {
        moved = saveOne(row, rules, now, score) || moved
      } catch (error) {
        if (isFault(error)) throw error
        // One that cannot be scored must not keep the others waiting.
        setAside.run(row.id)
        onFailure(row.id, error)
      }
    }
    if (moved) countChange.run()
    return rows.length
  })

  /** Marks the passports of one step; gives back where it ended, or `undefined` at the end. */
  function step(after: number, mark: (after: number, end: number) => void): number | undefined {
    const end = stepEnd.get(after, ADOPT_STEP)?.id ?? null
    if (end === null) return undefined
    mark(after, end)
    return end
  }

  const adopt = writer.transaction((rules: string) => {
    const inForce = settings.get('rules')
    if (inForce === rules && settings.get('adopting') === undefined) return true
    if (settings.get('adopting') !== rules) {
      settings.set('adopting', rules)
      settings.set('adopted_to', '-1')
    }
    // Scores that records brought along stand until a rule set follows another.
    const alsoGiven = Number(inForce !== undefined)
    const end = step(Number(settings.get('adopted_to')), (after, end) =>
      markOthers.run(after, end, rules, alsoGiven),
    )
    if (end !== undefined) {
      settings.set('adopted_to', String(end))
      return false
    }
    settings.set('rules', rules)
    settings.remove('adopting')
    settings.remove('adopted_to')
    return true
  })

  const markStep = writer.transaction((after: number) => step(after, (from, to) => markAll.run(from, to)))

  return {
    work: (limit, order) => work.immediate(limit, order),
    find(ref: PassportRef) {
      const id = find(ref)
      const row = id === undefined ? null : findRow.get(id)
      return row === null ? undefined : toScorable(row).scorable
    },
    countStale: () => countStale.get()?.count ?? 0,
    markAll() {
      for (let after: number | undefined = -1; after !== undefined; after = markStep.immediate(after));
    },
    adopt: (rules) => adopt.immediate(rules),
  }
}

type Connections = { reader: Database; writer: Database; find: (ref: PassportRef) => number | undefined }
