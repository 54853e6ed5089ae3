import type { Database } from 'bun:sqlite'
import { LOG_END, type LogEnd, toRankingCursor } from '../../sql/ranking-changes.ts'
import type { ListedPassport, ListingStore } from '../../store.ts'
import { translateErrors } from './connect.ts'

/** `long` is a connection for long reads. */
export function createRankingReader(path: string, long: Database): ListingStore['readAll'] {
  const findEnd = long.query<LogEnd, []>(`select ${LOG_END} from event_log`)
  const listAll = long.query<ListedPassport, []>(
    `select passport_id as id, score, name from listing
     order by score desc, passport_id`,
  )
  const readAll = long.transaction((add: (passport: ListedPassport) => void) => {
    for (const passport of listAll.iterate()) add(passport)
    return toRankingCursor(findEnd.get() as LogEnd)
  })
  return async (add) => translateErrors(path, () => readAll(add))
}
