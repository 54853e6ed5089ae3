import type { ApiKey } from '../domain/api-key.ts'
import type { Credential } from '../domain/credential.ts'
import type { Page, PageRequest } from '../domain/page.ts'
import type { FullPassport, Passport, PassportRef } from '../domain/passport.ts'

/** An embedded engine answers at once; one across the network answers later. */
export type Awaitable<T> = T | Promise<T>

/** A passport as it is written: whole, with its credentials. */
export type PassportRecord = Omit<FullPassport, 'merged'> & {
  credentials: Credential[]
  /** The passport this one was merged into. */
  mergedInto?: number
}

export type Store = {
  passports: {
    /** A merged passport is found as the one that survived it. */
    find(ref: PassportRef): Awaitable<FullPassport | undefined>
    /** Highest score first, equal scores by id; `keyword` is folded already. */
    list(request: PageRequest & { keyword: string | undefined }): Awaitable<Page<Passport>>
    /** Writes each record whole, all or none. */
    save(records: readonly PassportRecord[]): Awaitable<void>
    /** Saves the records only if the store has no passport yet; tells whether it did. */
    saveIfEmpty(records: readonly PassportRecord[]): Awaitable<boolean>
  }
  credentials: {
    /** Highest score first, then by name, then by id. */
    list(passportId: number): Awaitable<Credential[]>
  }
  keys: {
    create(key: ApiKey): Awaitable<void>
    find(id: string): Awaitable<ApiKey | undefined>
    /** Newest first. */
    list(): Awaitable<ApiKey[]>
    /** Tells whether there is such a key; one that is revoked already keeps its first date. */
    revoke(id: string, now: number): Awaitable<boolean>
  }
  /** Throws `unavailable` if the store cannot be read. */
  ping(): Awaitable<void>
  close(): Awaitable<void>
}
