import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import type { DocumentStore } from '../store.ts'
import type { View } from './view.ts'

/** The form of the documents that may be given out; none may where it is not known. */
export type Trusted = { form: string | undefined }

type Reading = { reader: Database; view: View; trusted: Trusted; fail: (error: unknown) => never }

type Body = { body: Uint8Array }

/** Every request for one passport comes through here first: nothing is made or wrapped for it. */
export function createDocumentReader({ reader, view, trusted, fail }: Reading) {
  const passports = createFinder(reader, 'passport_documents')
  const credentials = createFinder(reader, 'credential_documents')
  const findForm = reader.query<{ form: string }, []>(
    'select form from document_form where cleared_to is null',
  )
  let checked = 0
  let isTrusted = false

  /** The form is looked at once in each view. */
  function look(): boolean {
    const number = view.look()
    if (number !== checked) {
      isTrusted = findForm.get()?.form === trusted.form
      checked = number
    }
    return isTrusted
  }

  return {
    findPassport(ref: PassportRef) {
      try {
        return look() ? passports(ref) : undefined
      } catch (error) {
        return fail(error)
      }
    },
    findCredentials(ref: PassportRef) {
      try {
        return look() ? credentials(ref) : undefined
      } catch (error) {
        return fail(error)
      }
    },
  } satisfies Omit<DocumentStore, 'make'>
}

function createFinder(reader: Database, table: string) {
  const byId = reader.query<Body, [number]>(`select body from ${table} where passport_id = ?`)
  const byWallet = reader.query<Body, [string]>(
    `select body from ${table} where passport_id = (select passport_id from wallets where address = ?)`,
  )
  return (ref: PassportRef) => ('id' in ref ? byId.get(ref.id) : byWallet.get(ref.wallet))?.body
}
