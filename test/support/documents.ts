import { expect } from 'bun:test'
import { printPage } from '../../src/api/v1/list-page.ts'
import { presentListedPassport } from '../../src/api/v1/present.ts'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { lastPage } from '../../src/domain/page.ts'
import type { PassportRef } from '../../src/domain/passport.ts'
import { hashOf } from '../../src/store/hash.ts'
import type { Document, Press, Store } from '../../src/store/store.ts'

export const NONE = { passport: undefined, credentials: undefined }

/** Gives back through how many passports it went. */
export async function makeAll(store: Store, press: Press = V1_PRESS): Promise<number> {
  for (let sum = 0; ; ) {
    const count = await store.documents.make(100, press)
    if (count === 0) return sum
    sum += count ?? 0
  }
}

function text(document: Document | undefined): string | undefined {
  if (document === undefined) return undefined
  const bytes = Buffer.alloc(document.length)
  expect(document.read(bytes, 0)).toBe(true)
  expect(document.hash).toBe(hashOf(bytes))
  return bytes.toString()
}

/** What is found; nothing where there is nothing. */
export function found(store: Store, ref: PassportRef) {
  const { documents } = store
  return {
    passport: text(documents.findPassport(ref)),
    credentials: text(documents.findCredentials(ref)),
  }
}

/** What would be answered without documents. */
export async function rendered(store: Store, ref: PassportRef, press: Press = V1_PRESS) {
  const passport = await store.passports.find(ref)
  if (passport === undefined) return NONE
  const credentials = await store.credentials.list(passport.id)
  return { passport: press.passport(passport), credentials: press.credentials(credentials) }
}

const ALL = { page: 1, size: 250, keyword: undefined }

/** The list as it is answered, and as its rows say it. */
export async function listed(store: Store) {
  const { items, total } = await store.passports.list(ALL)
  const pagination = { current_page: 1, last_page: lastPage(total, ALL.size), total }
  const fresh = JSON.stringify({ passports: items.map(presentListedPassport), pagination })
  const steps = printPage(await store.documents.list(ALL), ALL)
  let body = steps.next()
  while (!body.done) body = steps.next()
  return { answered: body.value?.toString(), fresh }
}

/** Whatever is found is what would be answered. */
export async function expectTrue(store: Store, refs: readonly PassportRef[]): Promise<void> {
  const { answered, fresh } = await listed(store)
  expect(answered).toBe(fresh)
  for (const ref of refs) {
    const fresh = await rendered(store, ref)
    const { passport = fresh.passport, credentials = fresh.credentials } = found(store, ref)
    expect({ ref, passport, credentials }).toEqual({ ref, ...fresh })
  }
}

/** Passports at rest have both, survivors of others those of their credentials, and those who are merged none. */
export async function expectComplete(store: Store, refs: readonly PassportRef[]): Promise<void> {
  for (const ref of refs) {
    const passport = await store.passports.find(ref)
    if (passport?.stale === true) expect(found(store, ref).passport).toBeUndefined()
    else if (passport && 'id' in ref && ref.id !== passport.id) expect(found(store, ref)).toEqual(NONE)
    // A wallet that leads to a survivor may be one of those who are merged into it.
    else if (passport && ('id' in ref || !passport.merged)) {
      const fresh = await rendered(store, ref)
      const passportNow = passport.merged ? undefined : fresh.passport
      expect({ ref, ...found(store, ref) }).toEqual({ ref, ...fresh, passport: passportNow })
    }
  }
}
