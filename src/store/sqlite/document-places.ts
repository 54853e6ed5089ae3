import type { Database } from 'bun:sqlite'
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync } from 'node:fs'
import { hashOf } from '../hash.ts'
import { type createDocumentFiles, type Entry, KINDS, type Kind, writeAll } from './document-files.ts'

/** Bytes of what is kept of a passport: place and hash of each kind. Before the first stand the file's mark and length. */
const SLOT = 32
const NUMBERS = 2
const OFFSETS: Record<Kind, number> = { passports: SLOT, credentials: SLOT + 16 }

/** Ids may have gaps: of those above this, the file would be mostly holes. */
const LARGEST_ID = 2 ** 25

/** How many passports are gone through in one transaction when the file is filled. */
const FILL_STEP = 5000

/** Whether the file can tell of it. */
export const isPlaceable = (id: number) => id <= LARGEST_ID

/**
 * Where documents lie, by the id of their passport, in a file: one read that costs the same among millions, while the way through a
 * table grows with it. What it says is true where its mark is the one in the database, but for passports in the queue.
 */
export function openPlaces(path: string) {
  const file = openSync(path, 'r')
  const numbers = new Float64Array(NUMBERS)
  const bytes = new Uint8Array(numbers.buffer)

  /** Zeros where the file is shorter, or the disk cannot read it. */
  function read(at: number): void {
    numbers.fill(0)
    try {
      readSync(file, bytes, 0, bytes.length, at)
    } catch {
      // The rows can be read.
    }
  }

  return {
    mark(): number {
      read(0)
      return numbers[0] as number
    },
    /** Whether nothing was cut off. */
    isWhole(): boolean {
      read(0)
      return numbers[1] === fstatSync(file).size
    },
    find(kind: Kind, id: number): Entry | null {
      read(id * SLOT + OFFSETS[kind])
      const place = numbers[0] as number
      const hash = numbers[1] as number
      return place > 0 && hash > 0 && Number.isSafeInteger(place) ? { place, hash } : null
    },
    close: () => closeSync(file),
  }
}

export type Places = ReturnType<typeof openPlaces>

/** Makes the file, empty. */
function createPlaces(path: string): void {
  closeSync(openSync(path, 'w', 0o600))
}

type PlaceChange = { id: number; kind: Kind; entry: Entry | null }

/** Writes changes and the mark that makes them true, and waits until they are on the disk. */
function writePlaces(path: string, changes: readonly PlaceChange[], mark: number): void {
  const file = openSync(path, 'r+')
  const numbers = new Float64Array(NUMBERS)
  const bytes = new Uint8Array(numbers.buffer)

  function write(first: number, second: number, at: number): void {
    numbers[0] = first
    numbers[1] = second
    writeAll(file, bytes, at)
  }

  try {
    for (const { id, kind, entry } of changes) {
      if (!isPlaceable(id)) continue
      const at = id * SLOT + OFFSETS[kind]
      // First: whoever reads it just now must not get half of the old and half of the new.
      write(0, 0, at)
      if (entry) write(entry.place, entry.hash, at)
    }
    write(mark, Math.max(fstatSync(file).size, bytes.length), 0)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

export type PlacesState = { generation: string; places_mark: number; placed_to: number | null }

/** Keeps the file of places; the caller holds the transaction. */
export function createPlacing(writer: Database, files: ReturnType<typeof createDocumentFiles>) {
  // Not from the passports, which are many times as large.
  const listStep = writer.query<{ id: number }, [number, number]>(
    `select passport_id as id from passport_documents where passport_id > ?1
     union select passport_id from credential_documents where passport_id > ?1 order by id limit ?2`,
  )
  const entries = {
    passports: createEntries(writer, 'passport_documents'),
    credentials: createEntries(writer, 'credential_documents'),
  }
  const setPlaces = writer.query('update document_state set places_mark = ?, placed_to = ?')
  const pathOf = (generation: string) => files.pathOf(generation, 'places')

  /** Whether the file is as the database left it. */
  function isKnown({ generation, places_mark }: PlacesState): boolean {
    try {
      const places = openPlaces(pathOf(generation))
      const isKnown = places.mark() === places_mark && places.isWhole()
      places.close()
      return isKnown
    } catch {
      // There is none, or none that can be read: it is made anew.
      return false
    }
  }

  /** Lets the file say what the tables say of some passports. */
  function place(generation: string, ids: readonly number[], placedTo: number | null): void {
    const changes = ids.flatMap((id) => KINDS.map((kind) => ({ id, kind, entry: entries[kind].get(id) })))
    // Never the same again: beside another state of the database, such as one from a backup, it must not be taken for true.
    const mark = hashOf(crypto.randomUUID())
    writePlaces(pathOf(generation), changes, mark)
    setPlaces.run(mark, placedTo)
  }

  return {
    areTrue: (state: PlacesState) => state.placed_to === null && isKnown(state),
    /** Goes on with filling the file, or begins; gives back through how many passports it went, at least one. */
    fill(state: PlacesState): number {
      const { generation, placed_to } = state
      const isBegun = placed_to !== null && isKnown(state)
      if (!isBegun) createPlaces(pathOf(generation))
      const ids = listStep.all(isBegun ? placed_to : -1, FILL_STEP).map(({ id }) => id)
      place(generation, ids, ids.length === FILL_STEP ? (ids.at(-1) as number) : null)
      return Math.max(1, ids.length)
    },
    change: (generation: string, ids: readonly number[]) => place(generation, ids, null),
  }
}

/** What the tables say of one kind, by the id of a passport. */
export const createEntries = (database: Database, table: string) =>
  database.query<Entry, [number]>(`select place, hash from ${table} where passport_id = ?`)
