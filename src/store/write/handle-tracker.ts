import { handlesOf } from '../../domain/handle.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { WriteModel } from './write-model.ts'

/** Stores the handles of passports whose socials or data points change. */
export function trackHandles({ dataPoints, handles }: WriteModel) {
  const added = new Set<number>()
  const withOtherSocials = new Set<number>()
  const withOtherPoints = new Set<number>()

  return {
    /** Must be called for each row that is put. */
    note(before: StoredRow | undefined, { id, socials }: StoredRow): void {
      if (before === undefined) added.add(id)
      if (before?.socials !== socials) withOtherSocials.add(id)
    },
    dataPoints: {
      ...dataPoints,
      put(id, point) {
        withOtherPoints.add(id)
        dataPoints.put(id, point)
      },
      replace(id, points) {
        withOtherPoints.add(id)
        dataPoints.replace(id, points)
      },
    } satisfies WriteModel['dataPoints'],
    store({ id, socials }: StoredRow): void {
      if (!withOtherSocials.has(id) && !withOtherPoints.has(id)) return
      // A new passport has no data points and no handles yet.
      const isNew = added.has(id)
      const points = isNew && !withOtherPoints.has(id) ? [] : dataPoints.list(id)
      const list = handlesOf(JSON.parse(socials), points)
      if (isNew) handles.add(id, list)
      else handles.replace(id, list)
    },
  }
}
