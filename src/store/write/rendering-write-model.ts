import type { Credential } from '../../domain/credential.ts'
import { handlesOf } from '../../domain/passport.ts'
import { toV1CredentialsRow } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1PassportRow } from '../rows/v1.ts'
import { type CauseOf, type Changes, trackEvents } from './event-tracker.ts'
import { createWriteModel, type Loaded } from './write-model.ts'

export type RenderingWriteModel = ReturnType<typeof createRenderingWriteModel>

/**
 * A write model that renders the V1 responses of changed passports and stores their handles. Each passport is rendered once, in
 * the transaction that changes it.
 */
export function createRenderingWriteModel(loaded: Loaded, causeOf: CauseOf) {
  const { handles, v1Passports, v1Credentials, touched } = loaded
  const model = createWriteModel(loaded)
  const { passports, credentials } = model
  const events = trackEvents(model, causeOf)
  const changed = new Set<number>()
  const shown = new Map<number, readonly Credential[]>()

  /** Renders the survivor again, because its response says whether another passport is merged into it. */
  function markSurvivor(id: number | null | undefined): void {
    if (typeof id === 'number') changed.add(id)
  }

  function storeHandles({ id, socials }: StoredRow): void {
    if (events.recordBefore(id)?.socials === socials && !model.dataPoints.isChanged(id)) return
    const list = handlesOf(JSON.parse(socials), model.dataPoints.list(id))
    // Most changed records keep their handles.
    if (!Bun.deepEquals(list, handles.get(id) ?? [])) handles.set(id, list)
  }

  /** Stores the V1 responses of a listed passport. Without `list`, the credentials response stays unchanged. */
  function renderPassport(row: StoredRow, list = shown.get(row.id)): void {
    if (row.merged_into !== null) {
      // Some credentials are stored only in the V1 response, which is deleted below.
      credentials.put(row.id, list ?? credentials.list(row.id), false)
      v1Passports.delete(row.id)
      v1Credentials.delete(row.id)
      return
    }
    v1Passports.set(row.id, toV1PassportRow(row, passports.listMerged(row.id).length > 0))
    if (list) v1Credentials.set(row.id, toV1CredentialsRow(row.id, list))
  }

  return {
    ...model,
    passports: {
      ...passports,
      put(row: StoredRow): void {
        events.recordBefore(row.id)
        const before = passports.find(row.id)
        if (before === undefined) shown.set(row.id, [])
        // The passport gets a new version, because v3 shows the rule set, although V1 does not.
        else if (before.rules !== row.rules) touched.add(row.id)
        passports.put(row)
        changed.add(row.id)
        markSurvivor(row.merged_into)
        markSurvivor(before?.merged_into)
      },
      remove(id: number): void {
        const survivor = passports.findSurvivor(id)
        events.recordRemoval(id)
        passports.remove(id)
        changed.delete(id)
        markSurvivor(survivor)
      },
    },
    credentials: { ...credentials, list: (id: number) => [...(shown.get(id) ?? credentials.list(id))] },
    /** Replaces the credentials that the V1 response shows. Without this call, they stay unchanged. */
    showCredentials: (passportId: number, list: readonly Credential[]) => void shown.set(passportId, list),
    /** Renders the changed passports and returns the events. Must be called once, at the end of the transaction. */
    finish(): Changes {
      const changes = events.compare(changed, shown)
      const rows = [...changed].flatMap((id) => passports.find(id) ?? [])
      for (const row of rows) {
        renderPassport(row)
        storeHandles(row)
      }
      return changes
    },
  }
}
