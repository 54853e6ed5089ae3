import type { Database } from 'bun:sqlite'
import { type CredentialRow, toCredential } from '../rows/credential.ts'
import { type FullPassportRow, toFullPassport } from '../rows/passport.ts'
import type { Press } from '../store.ts'
import { isFault } from './connect.ts'
import { SHOWN_CREDENTIALS } from './credentials.ts'
import type { Trusted } from './documents.ts'
import { FULL_PASSPORT } from './passports.ts'

type State = { form: string; cleared_to: number | null; waits: number }

/** How many passports lose their documents of another form in one transaction. */
const CLEAR_STEP = 5000

/**
 * Makes documents for the passports in the queue. Where those that are there have another form they are cleared away
 * first, a step at each call. Of two programs that make different ones, the last to begin does; the other rests.
 */
export function createDocumentMaker(writer: Database, trusted: Trusted) {
  const findState = writer.query<State, []>(
    'select form, cleared_to, exists (select 1 from undocumented) as waits from document_form',
  )
  const setState = writer.query('update document_form set form = ?, cleared_to = ?')
  const clear = createClearing(writer)
  const makeSome = createMaking(writer)
  let hasBegun = false

  const rests = ({ form, cleared_to, waits }: State, press: Press) =>
    form === press.form ? cleared_to === null && waits === 0 : hasBegun

  const step = writer.transaction((limit: number, press: Press) => {
    const state = findState.get() as State
    if (rests(state, press)) return 0
    const clearedTo = state.form === press.form ? state.cleared_to : -1
    if (clearedTo !== null) {
      const { end, count } = clear(clearedTo)
      setState.run(press.form, end)
      if (end !== null) return count
    }
    return makeSome(limit, press)
  })

  return {
    make(limit: number, press: Press) {
      trusted.form ??= press.form
      // Most calls find nothing to do: they need not wait for who writes.
      const count = rests(findState.get() as State, press) ? 0 : step.immediate(limit, press)
      hasBegun = true
      return count
    },
  }
}

type ClearStep = { end: number | null; count: number }

/** Clears documents of the passports that follow an id away, and queues these; `end` is null where there are none. */
function createClearing(writer: Database) {
  const findStep = writer.query<ClearStep, [number, number]>(
    'select max(id) as end, count(*) as count from (select id from passports where id > ? order by id limit ?)',
  )
  const changes = [
    'delete from passport_documents where passport_id > ? and passport_id <= ?',
    'delete from credential_documents where passport_id > ? and passport_id <= ?',
    `insert or ignore into undocumented
     select id from passports where id > ? and id <= ? and stale = 0 and merged_into is null`,
  ].map((sql) => writer.query(sql))

  return (after: number): ClearStep => {
    const step = findStep.get(after, CLEAR_STEP) as ClearStep
    if (step.end !== null) for (const change of changes) change.run(after, step.end)
    return step
  }
}

function createMaking(writer: Database) {
  const listQueue = writer.query<{ passport_id: number }, [number]>(
    'select passport_id from undocumented order by passport_id limit ?',
  )
  const unqueue = writer.query('delete from undocumented where passport_id = ?')
  const find = writer.query<FullPassportRow, [number]>(
    `${FULL_PASSPORT} and stale = 0 and merged_into is null`,
  )
  const listCredentials = writer.query<CredentialRow, [number]>(SHOWN_CREDENTIALS)
  const passports = createBodies(writer, 'passport_documents')
  const credentials = createBodies(writer, 'credential_documents')

  return (limit: number, press: Press): number => {
    const queue = listQueue.all(limit)
    for (const { passport_id: id } of queue) {
      const row = find.get(id)
      if (row !== null) {
        // One that others were merged into is answered with more than its body.
        if (row.merged === 0) passports.add(id, () => press.passport(toFullPassport(row)))
        credentials.add(id, () => press.credentials(listCredentials.all(id).map(toCredential)))
      }
      unqueue.run(id)
    }
    return queue.length
  }
}

function createBodies(writer: Database, table: string) {
  const find = writer.query(`select 1 from ${table} where passport_id = ?`)
  const insert = writer.query(`insert into ${table} (passport_id, body) values (?, ?)`)
  const encoder = new TextEncoder()
  return {
    /** Where it is missing: a passport is queued for one of its documents, too. */
    add(id: number, render: () => string): void {
      if (find.get(id) !== null) return
      let text: string
      try {
        text = render()
      } catch (error) {
        if (isFault(error)) throw error
        // It fails in the same way for whoever asks for it, and is told there.
        return
      }
      insert.run(id, encoder.encode(text))
    },
  }
}
