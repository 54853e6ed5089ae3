import { fromCredentialData } from '../../rows/credential.ts'
import { type EventRow, type StampRow, toEvents } from '../../rows/event.ts'
import type { StoredRow } from '../../rows/passport.ts'
import type { SubjectStore } from '../../subject-store.ts'
import { type Connection, type Database, listColumn } from '../connection.ts'
import { mapCredentialRows, PERSONAL_TABLES } from '../load-and-save-write-model.ts'
import { ANY_SURVIVOR_ID } from '../passports.ts'

const FOUND = `select cast(id as double precision) as id, hidden_at is not null as hidden, display_name as name from passports`

export const createSubjects = ({ snapshot }: Database): SubjectStore => ({
  find: (wallet) =>
    snapshot(async ({ query }) => {
      const [row] = await query<FoundRow>(`${FOUND} where id = ${ANY_SURVIVOR_ID.wallet}`, [wallet])
      return row && { id: row.id, hidden: Boolean(row.hidden) }
    }),
  findById: (id) =>
    snapshot(async ({ query }) => {
      const [row] = await query<FoundRow>(`${FOUND} where id = $1`, [id])
      return row && { ...row, hidden: Boolean(row.hidden) }
    }),
  export: (id) =>
    snapshot(async (connection) => {
      const ids = await listPerson(connection, id)
      return ids.length === 0 ? undefined : exportAll(connection, ids)
    }),
})

type FoundRow = { id: number; hidden: number | boolean; name: string }

/** The survivor and all passports that are merged into it. */
async function listPerson({ query, dialect }: Connection, id: number): Promise<number[]> {
  return listColumn<number>(
    query,
    `with recursive person (id) as (
       select id from passports where id = ${ANY_SURVIVOR_ID.id}
       union
       select next.id from person ${dialect.joinPassports('next.merged_into = person.id')}
     ) select cast(id as double precision) as id from person order by person.id`,
    [id],
  )
}

async function exportAll(connection: Connection, ids: readonly number[]): Promise<object> {
  const { query, dialect, selectRows } = connection
  const list = <Row>(table: string, order = 'passport_id') =>
    selectRows<Row>(table, `where ${dialect.isIn('passport_id', '$1')} order by ${order}`, [ids])
  const rows = await selectRows<StoredRow>('passports', `where ${dialect.isIn('id', '$1')} order by id`, [
    ids,
  ])
  const credentials = await mapCredentialRows(connection, ids)
  const stamps = await query<StampRow>('select id, stamp from event_rules')
  const events = toEvents({
    stamps,
    page: { rows: await list<EventRow>('events', 'sequence'), isCut: false },
  })
  const others: Record<string, unknown> = {}
  for (const table of PERSONAL_TABLES) others[table] = await list(table)
  return {
    passports: rows.map((row) => ({
      ...row,
      ...Object.fromEntries(JSON_COLUMNS.map((name) => [name, parseText(row[name])])),
      credentials: fromCredentialData(credentials.get(row.id)),
    })),
    wallets: await list('wallets'),
    handles: await list('handles'),
    data_points: await list('data_points'),
    events,
    audit: await listAudit(connection, ids),
    ...others,
  }
}

const JSON_COLUMNS = ['verified_wallets', 'tags', 'socials', 'later_fields'] as const

const parseText = (text: string): unknown => (text === '' ? null : JSON.parse(text))

/** The audit entries that name one of the passports, as a number or in a text such as "7 into 8". */
async function listAudit({ query }: Connection, ids: readonly number[]) {
  const condition = ids.map((id) => `detail like '%${id}%'`).join(' or ')
  const rows = await query<{ detail: string }>(
    `select cast(time as double precision) as time, actor, action, detail from audit where ${condition} order by audit.id`,
  )
  const names = new Set(ids.map(String))
  return rows.flatMap(({ detail, ...row }) => {
    const { passports = [], ...rest } = JSON.parse(detail) as { passports?: readonly (string | number)[] }
    const named = passports.filter((each) =>
      String(each)
        .split(' ')
        .some((word) => names.has(word)),
    )
    return named.length === 0 ? [] : [{ ...row, detail: { ...rest, passports: named } }]
  })
}
