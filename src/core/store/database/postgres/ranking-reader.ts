import type { Query } from '../../sql/connection.ts'
import { LOG_END, type LogEnd, toRankingCursor } from '../../sql/ranking-changes.ts'
import type { ListingStore } from '../../store.ts'

/** Folded names contain no line feed. */
const SEPARATOR = '\n'

/** One row: ids and scores as binary numbers, names separated by line feeds. */
const READ_ALL = `select ${LOG_END}, ranked, names from event_log, (
    select string_agg(int8send(passport_id) || float8send(score), ''::bytea order by score desc, passport_id) as ranked,
      string_agg(name, E'\\n' order by score desc, passport_id) as names from listing
  ) as ranking`

type AllRow = LogEnd & { ranked: Buffer | null; names: string | null }

/** `read` may lack the last changes. */
export const createRankingReader =
  (read: Query): ListingStore['readAll'] =>
  async (add) => {
    const [row] = (await read<AllRow>(READ_ALL)) as [AllRow]
    const names = row.ranked ? (row.names ?? '').split(SEPARATOR) : []
    const { buffer, byteOffset, byteLength } = row.ranked ?? Buffer.alloc(0)
    const numbers = new DataView(buffer, byteOffset, byteLength)
    for (const [rank, name] of names.entries()) {
      const at = rank * 16
      const id = numbers.getInt32(at) * 2 ** 32 + numbers.getUint32(at + 4)
      add({ id, score: numbers.getFloat64(at + 8), name })
    }
    return toRankingCursor(row)
  }
