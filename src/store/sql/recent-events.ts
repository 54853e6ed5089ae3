import type { EventStore, RecentEvent } from '../event-store.ts'
import { typeNumber } from '../rows/event.ts'
import type { Connection } from './connection.ts'

/** Events per page. A page takes about 8 ms of CPU on SQLite. */
const PAGE = 2000

/**
 * Reads all types, so that the limit bounds the work of a statement. The second item of a changed score is
 * the score. `order by sequence` without its table would sort by the selected value, which has no index.
 */
export const createRecentEvents =
  ({ query, dialect }: Connection): EventStore['listRecent'] =>
  (before) =>
    query<RecentEvent>(
      `select cast(sequence as double precision) as sequence, cast(time as double precision) as time,
         cast(passport_id as double precision) as "passportId",
         case when type = ${typeNumber('passport.added')} then 1 else 0 end as "isNew",
         case when type = ${typeNumber('score.changed')} then ${dialect.numberAt('data', [1, 0])} end as "oldScore"
       from events where sequence < $1 order by events.sequence desc limit ${PAGE}`,
      [before],
    )
