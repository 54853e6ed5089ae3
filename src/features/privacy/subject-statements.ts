import { isoTime } from '../../core/basics/text/instant.ts'
import type { CredentialChange, LogEvent } from '../../core/history/event.ts'
import { presentEvent } from '../../core/history/present-event.ts'
import type { PassportRecord } from '../../core/passport/record.ts'
import { defineData } from '../../core/store/data.ts'
import { type EventRow, toEvent } from '../../core/store/rows/event.ts'
import type { StoredRow } from '../../core/store/rows/passport.ts'
import { type Connection, listColumn } from '../../core/store/sql/connection.ts'
import { listPassportTables } from '../../core/store/sql/tables.ts'
import { selectIds } from '../../core/store/sql/words.ts'
import { AROUND, loadRecords } from '../../core/store/write/load-and-save-write-model.ts'
import { presentRecord } from '../records/export.ts'

/** Everything that is stored about a passport and those merged into it, as JSON. */
export const EXPORTS = defineData({
  name: 'exports',
  open: ({ snapshot }) => ({
    export: (id: number) => snapshot((connection) => exportPerson(connection, id)),
  }),
})

/** An export shows the first four in another form. The others are derived, or have nothing about the person. */
const SHOWN_OR_DERIVED = 'wallets credentials data_points events listing removals log_secrets'.split(' ')

async function exportPerson(connection: Connection, id: number): Promise<object | undefined> {
  const { query } = connection
  const ids = await listColumn<number>(query, AROUND, [[id]])
  const list = <Row>(table: string, column = 'passport_id', order = column) =>
    query<Row>(`select * from ${table} where ${column} in (${selectIds('$1')}) order by ${order}`, [ids])
  const passports = await list<StoredRow>('passports', 'id')
  if (passports.length === 0) return undefined
  const records = await loadRecords(connection, passports)
  const [log = ''] = await listColumn<string>(query, 'select name from event_log')
  const rows = await list<EventRow>('events', 'passport_id', 'sequence')
  const wallets = await list<{ address: string; passport_id: number }>('wallets')
  const tables: Record<string, unknown> = {}
  for (const table of await listPassportTables(connection))
    if (!SHOWN_OR_DERIVED.includes(table))
      tables[table] = (await list<{ created_at?: number }>(`"${table}"`)).map(({ created_at, ...row }) => ({
        ...row,
        ...(created_at !== undefined && { created_at: isoTime(created_at) }),
      }))
  return {
    passports: passports.map(({ fingerprint, hidden_at, rescore_at }, at) => ({
      ...presentRecord(records[at] as PassportRecord),
      fingerprint,
      hidden_at: toTime(hidden_at),
      rescore_at: toTime(rescore_at),
    })),
    wallets: wallets.map(({ address, passport_id }) => ({ wallet: address, passport_id })),
    ...tables,
    events: rows.map((row) => toItem(toEvent(row), log)),
    audit: await listAudit(connection, ids),
  }
}

const toTime = (time: number | null) => isoTime(time ?? undefined)

/** The event as v3 shows it, with its actor and the earlier fields of the changed credentials. */
function toItem(event: LogEvent, log: string): object {
  const { specversion: _, source: __, ...item } = presentEvent(event, { log, source: '' })
  const earlier = event.type === 'score.changed' && {
    earlier_credentials: event.change.credentials.map(toEarlier),
  }
  return { ...item, actor: event.actor, ...earlier }
}

const toEarlier = ({ type, id, before }: CredentialChange) => {
  const { maxScore: max_score, calculatedAt, earnedAt, ...texts } = before
  const last_calculated_at = calculatedAt && isoTime(calculatedAt)
  return { type, id, ...texts, max_score, last_calculated_at, earned_at: earnedAt && isoTime(earnedAt) }
}

/** The audit entries that name one of the passports, as a number or in a text such as "7 into 8". */
async function listAudit({ query }: Connection, ids: readonly number[]) {
  const condition = ids.map((id) => `detail like '%${id}%'`).join(' or ')
  const rows = await query<{ time: number; detail: string }>(
    `select time, actor, action, detail from audit where ${condition} order by id`,
  )
  return rows.flatMap(({ time, detail, ...row }) => {
    const { passports = [] } = JSON.parse(detail) as { passports?: readonly (string | number)[] }
    const merged = passports.filter((stored) =>
      ids.some((id) => String(stored).split(' ').includes(String(id))),
    )
    return merged.length === 0 ? [] : [{ time: toTime(time), ...row, detail: { passports: merged } }]
  })
}
