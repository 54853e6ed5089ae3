import type { CorrectionRequest } from './subject.ts'

/** Challenges and sessions. An id is a SHA-256, so that the database has no secret and no wallet. */
export type ProofStore = {
  /** A session has no digest. Deletes expired entries and, if there are too many, those that expire first. */
  add(proof: { id: string; digest: string; expiresAt: number }, now: number): Promise<void>
  /** Deletes the entry. Returns its digest, or `undefined` if it does not exist or has expired. */
  take(id: string, now: number): Promise<string | undefined>
  isValid(id: string, now: number): Promise<boolean>
}

/** Requests of people for corrections, until they are done. */
export type RequestStore = {
  /** Throws `invalid_request` if the person has too many, or `not_found`. */
  add(request: CorrectionRequest): Promise<void>
  /** Oldest first. */
  list(): Promise<CorrectionRequest[]>
  /** Returns whether the request existed. */
  remove(id: string): Promise<boolean>
}
