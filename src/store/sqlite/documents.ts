import type { Database } from 'bun:sqlite'
import type { Passport, PassportRef } from '../../domain/passport.ts'
import type { Document, DocumentStore, ListRequest, PassportDocument } from '../store.ts'
import type { createDocumentFiles, DocumentFiles, Kind } from './document-files.ts'
import { createEntries, isPlaceable, openPlaces, type Places } from './document-places.ts'
import type { Listing } from './listing.ts'
import type { View } from './view.ts'
import { createWalletHash, ID_BY_KEY } from './wallet-keys.ts'

/** The form of the documents that may be given out; none may where it is not known. */
export type Trusted = { form: string | undefined }

const CLOSE_MILLISECONDS = 1000

/** With more passports than these in the queue, all are looked for in the tables. */
const MOST_QUEUED = 200

type State = { form: string; generation: string; places_mark: number }

const NOBODY: ReadonlySet<number> = new Set()

type Reading = {
  reader: Database
  view: View
  files: ReturnType<typeof createDocumentFiles>
  trusted: Trusted
  listing: Listing
  fail: (error: unknown) => never
}

/** Every request for one passport comes through here first: nothing is made or wrapped for it. */
export function createDocumentReader({ reader, view, files, trusted, listing, fail }: Reading) {
  const tables = {
    passports: createEntries(reader, 'passport_documents'),
    credentials: createEntries(reader, 'credential_documents'),
  }
  const findId = reader.query<{ id: number | null }, [number, number, string]>(`select (${ID_BY_KEY}) as id`)
  const findState = reader.query<State, []>(
    `select form, generation, iif(placed_to is null, places_mark, 0) as places_mark
     from document_state where cleared_to is null`,
  )
  const listQueue = reader.query<{ passport_id: number }, [number]>(
    'select passport_id from undocumented limit ?',
  )
  let checked = 0
  let opened: DocumentFiles | undefined
  let hashWallet = createWalletHash('')
  let isTrusted = false
  let places: Places | undefined
  /** A mark that the file did not bear. */
  let missedMark = 0
  /** The passports that the file of places may be wrong about; undefined where it may be about any. */
  let queued: ReadonlySet<number> | undefined
  /** The generation of which something was damaged. */
  let spoilt: string | undefined

  /** What may be read is looked at once in each view. */
  function look(): boolean {
    const number = view.look()
    if (number === checked) return isTrusted
    const state = findState.get()
    isTrusted =
      state !== null && state.form === trusted.form && state.generation !== '' && open(state.generation)
    queued = isTrusted && state !== null && arePlacesTrue(state) ? lookAtQueue() : undefined
    checked = number
    return isTrusted
  }

  function open(generation: string): boolean {
    if (opened?.generation === generation && generation !== spoilt && files.exist(generation)) return true
    // What was found in them may not be read yet.
    setTimeout((files) => files?.close(), CLOSE_MILLISECONDS, opened)
    opened = undefined
    if (generation === spoilt || !files.exist(generation)) return false
    try {
      opened = files.open(generation, () => {
        checked = 0
        spoilt = generation
      })
      hashWallet = createWalletHash(generation)
    } catch {
      // Another process removed them just now, or this one has too many files open: the rows can be read.
    }
    return opened !== undefined
  }

  function arePlacesTrue({ generation, places_mark: mark }: State): boolean {
    if (mark === 0 || mark === missedMark) return false
    if (places?.mark() === mark) return true
    places?.close()
    places = undefined
    try {
      places = openPlaces(files.pathOf(generation, 'places'))
      if (places.mark() === mark) return true
    } catch {
      // The tables know as well.
    }
    missedMark = mark
    return false
  }

  function lookAtQueue(): ReadonlySet<number> | undefined {
    const rows = listQueue.all(MOST_QUEUED + 1)
    if (rows.length === 0) return NOBODY
    return rows.length > MOST_QUEUED ? undefined : new Set(rows.map(({ passport_id }) => passport_id))
  }

  function idOf(wallet: string): number | null {
    const [key, check] = hashWallet(wallet)
    return findId.get(key, check, wallet)?.id ?? null
  }

  function find(kind: Kind, ref: PassportRef): Document | undefined {
    const id = 'id' in ref ? ref.id : idOf(ref.wallet)
    if (id === null) return undefined
    const isPlaced = queued !== undefined && isPlaceable(id) && !queued.has(id)
    const entry = isPlaced ? places?.find(kind, id) : tables[kind].get(id)
    return entry ? opened?.find(kind, entry) : undefined
  }

  function fetchDocuments(ids: readonly number[]): (Passport | PassportDocument)[] {
    if (!look()) return listing.fetchPassports(ids)
    const missing: number[] = []
    const found: (Passport | PassportDocument)[] = []
    for (const id of ids) {
      const document = find('passports', { id })
      if (document) found.push({ id, document })
      else missing.push(id)
    }
    return missing.length === 0 ? found : [...found, ...listing.fetchPassports(missing)]
  }

  return {
    /** Its failures are not told here. */
    list: (request: ListRequest) => listing.page(request, fetchDocuments),
    findPassport(ref: PassportRef) {
      try {
        return look() ? find('passports', ref) : undefined
      } catch (error) {
        return fail(error)
      }
    },
    findCredentials(ref: PassportRef) {
      try {
        return look() ? find('credentials', ref) : undefined
      } catch (error) {
        return fail(error)
      }
    },
    close() {
      opened?.close()
      places?.close()
    },
  } satisfies Omit<DocumentStore, 'make'> & { close(): void }
}
