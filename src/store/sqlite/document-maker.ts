import type { Database } from 'bun:sqlite'
import { hashOf } from '../hash.ts'
import { type CredentialRow, toCredential } from '../rows/credential.ts'
import { type FullPassportRow, toFullPassport } from '../rows/passport.ts'
import type { Press } from '../store.ts'
import { isFault, WRITER_WAIT } from './connect.ts'
import { SHOWN_CREDENTIALS } from './credentials.ts'
import { type createDocumentFiles, fits, LENGTH_OF_PLACE } from './document-files.ts'
import { createPlacing, type PlacesState } from './document-places.ts'
import type { Trusted } from './documents.ts'
import { FULL_PASSPORT } from './passports.ts'
import { createWalletKeys } from './wallet-keys.ts'

type Files = ReturnType<typeof createDocumentFiles>
type Ends = { passports_end: number; credentials_end: number }
type State = Ends & PlacesState & { form: string; cleared_to: number | null; waits: number }

/** How many passports lose their documents of another form in one transaction. */
const CLEAR_STEP = 5000

/**
 * Makes documents for the passports in the queue. Those that are there are cleared away first, a step at each call, where they have
 * another form, their files are gone, or most of these is waste. Of two programs that make different ones, the last to begin
 * does; the other rests.
 */
export function createDocumentMaker(writer: Database, files: Files, trusted: Trusted) {
  const findState = writer.query<State, []>(
    `select form, cleared_to, generation, passports_end, credentials_end, places_mark, placed_to,
       exists (select 1 from undocumented) or exists (select 1 from moved_wallets) as waits
     from document_state`,
  )
  const setCleared = writer.query(`update document_state set form = ?, cleared_to = ?, generation = ''`)
  const setGeneration = writer.query(
    `update document_state set cleared_to = null, generation = ?, passports_end = 0, credentials_end = 0,
       places_mark = 0, placed_to = -1`,
  )
  const clear = createClearing(writer)
  const walletKeys = createWalletKeys(writer)
  const places = createPlacing(writer, files)
  const makeSome = createMaking(writer, { files, walletKeys, places })
  const isWasteful = createWasteCheck(writer)
  let hasBegun = false
  let cleanedFor = ''

  const isSound = (state: State) =>
    state.cleared_to === null && files.exist(state.generation) && !isWasteful(state)
  const rests = (state: State, press: Press) =>
    state.form === press.form ? state.waits === 0 && isSound(state) && places.areTrue(state) : hasBegun

  const step = writer.transaction((limit: number, press: Press) => {
    const state = findState.get() as State
    if (rests(state, press)) return 0
    if (state.form === press.form && isSound(state)) {
      // Nobody else can be about to begin a generation.
      if (cleanedFor !== state.generation) files.clean(state.generation)
      cleanedFor = state.generation
      if (!places.areTrue(state)) return places.fill(state)
      return walletKeys.settleMoved(limit, state.generation) || makeSome(limit, press, state)
    }
    const { end, count } = clear((state.form === press.form ? state.cleared_to : null) ?? -1)
    setCleared.run(press.form, end)
    if (end === null) {
      walletKeys.clear()
      // Without room this is not committed, and tried again and again.
      files.clean('')
      setGeneration.run(files.begin())
    }
    return Math.max(1, count)
  })

  return {
    make(limit: number, press: Press) {
      trusted.form ??= press.form
      // Most calls find nothing to do, and need not ask to write.
      const state = findState.get() as State
      const count = rests(state, press) ? 0 : unlessBusy(writer, () => step.immediate(limit, press))
      hasBegun ||= count !== undefined
      return count
    },
  }
}

/** Gives back nothing, at once, where another connection writes: it would wait for us in turn. */
function unlessBusy<T>(writer: Database, work: () => T): T | undefined {
  writer.run('pragma busy_timeout = 0')
  try {
    return work()
  } catch (error) {
    if (isFault(error) && error.code?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  } finally {
    writer.run(`pragma busy_timeout = ${WRITER_WAIT}`)
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

/** Waste is not worth looking for in less. */
const LEAST_WASTE = 64 * 1024 * 1024

/** Whether more than half of the files is of documents that are no longer true. */
function createWasteCheck(writer: Database) {
  const sum = (table: string) => `(select coalesce(sum(${LENGTH_OF_PLACE}), 0) from ${table})`
  const findUsed = writer.query<{ used: number }, []>(
    `select ${sum('passport_documents')} + ${sum('credential_documents')} as used`,
  )
  let lookAt = LEAST_WASTE
  return ({ passports_end, credentials_end }: Ends): boolean => {
    const written = passports_end + credentials_end
    if (written < lookAt) return false
    const used = findUsed.get()?.used ?? 0
    if (written > 2 * Math.max(used, LEAST_WASTE / 2)) return true
    lookAt = written * 1.25
    return false
  }
}

type Making = {
  files: Files
  walletKeys: ReturnType<typeof createWalletKeys>
  places: ReturnType<typeof createPlacing>
}

function createMaking(writer: Database, { files, walletKeys, places }: Making) {
  const listQueue = writer.query<{ passport_id: number }, [number]>(
    'select passport_id from undocumented order by passport_id limit ?',
  )
  const unqueue = writer.query('delete from undocumented where passport_id = ?')
  const setEnds = writer.query('update document_state set passports_end = ?, credentials_end = ?')
  const find = writer.query<FullPassportRow, [number]>(
    `${FULL_PASSPORT} and stale = 0 and merged_into is null`,
  )
  const listCredentials = writer.query<CredentialRow, [number]>(SHOWN_CREDENTIALS)
  const passports = createBodies(writer, 'passport_documents')
  const credentials = createBodies(writer, 'credential_documents')

  return (limit: number, press: Press, { generation, passports_end, credentials_end }: State): number => {
    const queue = listQueue.all(limit)
    passports.begin()
    credentials.begin()
    for (const { passport_id: id } of queue) {
      const row = find.get(id)
      if (row !== null) {
        // One that others were merged into is answered with more than its body.
        if (row.merged === 0) passports.add(id, () => press.passport(toFullPassport(row)))
        credentials.add(id, () => press.credentials(listCredentials.all(id).map(toCredential)))
        walletKeys.add(id, generation)
      }
      unqueue.run(id)
    }
    // The bodies are on the disk before the database names them.
    setEnds.run(
      passports.write(passports_end, (end, bodies) => files.append(generation, 'passports', end, bodies)),
      credentials.write(credentials_end, (end, bodies) =>
        files.append(generation, 'credentials', end, bodies),
      ),
    )
    places.change(
      generation,
      queue.map(({ passport_id }) => passport_id),
    )
    return queue.length
  }
}

type Append = (end: number, bodies: readonly Buffer[]) => { places: number[]; end: number }

function createBodies(writer: Database, table: string) {
  const find = writer.query(`select 1 from ${table} where passport_id = ?`)
  const insert = writer.query(`insert into ${table} (passport_id, place, hash) values (?, ?, ?)`)
  let waiting: { id: number; body: Buffer }[] = []
  return {
    begin(): void {
      waiting = []
    },
    /** Where it is missing: a passport is queued for one of its documents, too. */
    add(id: number, render: () => string): void {
      if (find.get(id) !== null) return
      try {
        waiting.push({ id, body: Buffer.from(render()) })
      } catch (error) {
        // Any other fails in the same way for whoever asks for it, and is told there.
        if (isFault(error)) throw error
      }
    },
    /** Writes what waits after those that end at `before`; gives back where these end. */
    write(before: number, append: Append): number {
      const kept = waiting.filter(({ body }) => fits(body.length, before))
      if (kept.length === 0) return before
      const { places, end } = append(
        before,
        kept.map(({ body }) => body),
      )
      kept.forEach(({ id, body }, at) => {
        insert.run(id, places[at] as number, hashOf(body))
      })
      return end
    },
  }
}
