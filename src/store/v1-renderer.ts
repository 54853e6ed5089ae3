import type { Credential } from '../domain/credential.ts'
import type { StoredRow } from './rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from './rows/v1.ts'
import type { WriteModel } from './write-model.ts'

/** The write model, and what renders the V1 responses of all passports that were changed through it. */
export type TrackedWriteModel = WriteModel & {
  /** Has the credentials of a passport rendered too. Without it, those that were shown stay. */
  showCredentials(passportId: number): void
  /** To be called once, at the end of the transaction. */
  renderV1(): void
}

/** Notes which passports change, so that each is rendered once, in the transaction that changes it. */
export function trackChanges(model: WriteModel): TrackedWriteModel {
  const { passports, credentials, v1 } = model
  /** The rows that are known; the others are read when they are rendered. */
  const changed = new Map<number, StoredRow | undefined>()
  const credentialsShown = new Set<number>()

  /** Whether others are merged into a passport is part of its response. */
  function noteSurvivor(id: number | null | undefined): void {
    if (typeof id === 'number' && !changed.has(id)) changed.set(id, undefined)
  }

  function render(id: number, known: StoredRow | undefined): void {
    const row = known ?? passports.find(id)
    if (row) renderPassport(model, row, credentialsShown.has(id) ? credentials.list(id) : undefined)
    else v1.remove(id)
  }

  return {
    ...model,
    passports: {
      ...passports,
      put(row) {
        const before = passports.findSurvivor(row.id)
        if (before === undefined) credentialsShown.add(row.id)
        passports.put(row)
        changed.set(row.id, row)
        noteSurvivor(row.merged_into)
        noteSurvivor(before)
      },
      remove(id) {
        const survivor = passports.findSurvivor(id)
        passports.remove(id)
        changed.delete(id)
        noteSurvivor(survivor)
      },
    },
    showCredentials: (passportId) => void credentialsShown.add(passportId),
    renderV1() {
      for (const [id, row] of changed) render(id, row)
      changed.clear()
      credentialsShown.clear()
    },
  }
}

/** Stores the V1 responses of a listed passport; credentials that are not given stay as they are shown. */
export function renderPassport(
  { passports, v1 }: WriteModel,
  row: StoredRow,
  credentials?: readonly Credential[],
): void {
  if (row.merged_into !== null) {
    v1.remove(row.id)
    return
  }
  v1.putPassport(toV1PassportRow(row, passports.listMerged(row.id).length > 0))
  if (credentials) v1.putCredentials(toV1CredentialsRow(row.id, credentials))
}
