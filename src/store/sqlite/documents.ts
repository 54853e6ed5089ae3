import type { Database } from 'bun:sqlite'
import type { Passport, PassportRef } from '../../domain/passport.ts'
import type { Document, DocumentStore, ListRequest, PassportDocument } from '../store.ts'
import type { createDocumentFiles, DocumentFiles, Entry, Kind } from './document-files.ts'
import type { Listing } from './listing.ts'
import type { View } from './view.ts'
import { createWalletHash, ID_BY_KEY, type WalletHash } from './wallet-keys.ts'

/** The form of the documents that may be given out; none may where it is not known. */
export type Trusted = { form: string | undefined }

const CLOSE_MILLISECONDS = 1000

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
  const findPassport = createEntries(reader, 'passport_documents')
  const findCredentials = createEntries(reader, 'credential_documents')
  const findState = reader.query<{ form: string; generation: string }, []>(
    'select form, generation from document_state where cleared_to is null',
  )
  let checked = 0
  let opened: DocumentFiles | undefined
  let hashWallet = createWalletHash('')
  let isTrusted = false
  /** The generation of which something was damaged. */
  let spoilt: string | undefined

  /** What may be read is looked at once in each view. */
  function look(): boolean {
    const number = view.look()
    if (number === checked) return isTrusted
    const state = findState.get()
    isTrusted =
      state !== null && state.form === trusted.form && state.generation !== '' && open(state.generation)
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

  function find(kind: Kind, entry: Entry | null): Document | undefined {
    return entry === null ? undefined : opened?.find(kind, entry)
  }

  function fetchDocuments(ids: readonly number[]): (Passport | PassportDocument)[] {
    if (!look()) return listing.fetchPassports(ids)
    const missing: number[] = []
    const found: (Passport | PassportDocument)[] = []
    for (const id of ids) {
      const document = find('passports', findPassport({ id }, hashWallet))
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
        return look() ? find('passports', findPassport(ref, hashWallet)) : undefined
      } catch (error) {
        return fail(error)
      }
    },
    findCredentials(ref: PassportRef) {
      try {
        return look() ? find('credentials', findCredentials(ref, hashWallet)) : undefined
      } catch (error) {
        return fail(error)
      }
    },
    close: () => opened?.close(),
  } satisfies Omit<DocumentStore, 'make'> & { close(): void }
}

function createEntries(reader: Database, table: string) {
  const byId = reader.query<Entry, [number]>(`select place, hash from ${table} where passport_id = ?`)
  const byWallet = reader.query<Entry, [number, number, string]>(
    `select place, hash from ${table} where passport_id = (${ID_BY_KEY})`,
  )
  return (ref: PassportRef, hash: WalletHash) => {
    if ('id' in ref) return byId.get(ref.id)
    const [key, check] = hash(ref.wallet)
    return byWallet.get(key, check, ref.wallet)
  }
}
