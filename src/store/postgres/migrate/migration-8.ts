import { handlesOf } from '../../../domain/handle.ts'
import type { OnProgress } from '../../migration-progress.ts'
import { insertRows, type Query } from '../connection/query.ts'
import { mapDataPoints } from '../credentials-and-points.ts'

const STEP = 1000

/** The part of migration 8 that SQL cannot do: servers fold the case by their locale. */
export async function storeHandles(query: Query, onProgress: OnProgress): Promise<void> {
  const [counted] = await query<{ count: number }>('select count(*)::float8 as count from passports')
  let done = 0
  for (let after = -1; ; ) {
    const rows = await query<{ id: number; socials: string }>(
      'select id::float8 as id, socials from passports where passports.id > $1 order by passports.id limit $2',
      [after, STEP],
    )
    const last = rows.at(-1)
    if (last === undefined) return
    const points = await mapDataPoints(
      query,
      rows.map(({ id }) => id),
    )
    await insertRows(
      query,
      'handles',
      rows.flatMap(({ id, socials }) =>
        handlesOf(JSON.parse(socials), points.get(id) ?? []).map((handle) => ({ handle, passport_id: id })),
      ),
    )
    done += rows.length
    onProgress(done, counted?.count ?? 0)
    after = last.id
  }
}
