import { EMPTY_HEAD } from '../../history/hash-chain.ts'
import type { Credential } from '../../passport/credential.ts'
import { NO_SCORES } from '../../passport/passport.ts'
import type { LaterFields } from '../../passport/record.ts'
import { type CredentialsRow, toCredentialsRow, toUnscoredRow } from '../rows/credential.ts'
import {
  type DataPointRow,
  type StoredRow,
  toDataPoint,
  toDataPointRow,
  toRecordRow,
  toScores,
} from '../rows/passport.ts'
import { type Connection, findNumber, listColumn } from '../sql/connection.ts'
import { fillDerived } from '../sql/derived.ts'
import { listTables, type Table } from '../sql/tables.ts'
import { buryEvents, newSecret, tombstone } from '../write/write-events.ts'
import { type PackedRow, unpackEvent } from './old-events.ts'
/** The tables of an older schema, and the empty ones of this version, in one transaction. */
export type Conversion = {
  connection: Connection
  /** Precedes the name of an old table. */
  old: string
  oldTables: readonly Table[]
  /** Called after each batch with the share that is complete, at most 1. */
  onProgress: (share: number) => void
}

const BATCH = 500

/** The tables that are not copied as they are. Those that are derived are filled at the end. */
const CONVERTED = 'passports|credentials|data_points|events|event_log|keys|handles|listing|passportd'.split(
  '|',
)

/** Fills the new tables. Those that the old schema does not have stay empty. */
export async function convert(conversion: Conversion): Promise<void> {
  const { connection, old, oldTables, onProgress } = conversion
  const { query, insertRows } = connection
  const hadTables = new Map(oldTables.map((table) => [table.name, table]))
  const count = `select 2 * (select count(*) from ${old}passports) + (select count(*) from ${old}events)`
  const total = Math.max(1, await findNumber(query, count))
  let done = 0
  const advance = (rows: number) => {
    done += rows
    onProgress(Math.min(1, done / total))
  }

  const [log] = await query<OldLog>(`select * from ${old}event_log`)
  await insertRows('event_log', [toNewLog(log as OldLog)])
  await convertPassports(conversion, hadTables.has('log_secrets'), advance)
  await convertEvents(conversion, log as OldLog, advance)
  const keys = await query<{ hash: Uint8Array }>(`select * from ${old}keys`)
  await insertRows('keys', keys.map(toNewKey))
  for (const table of await listTables(connection)) {
    const source = hadTables.get(table.name)
    if (source && !CONVERTED.includes(table.name)) await copyTable(conversion, table, source)
  }
  const hidden = await listColumn<number>(query, 'select id from passports where hidden_at is not null')
  // Earlier versions kept the events of hidden passports, without serving them.
  await buryEvents(connection, hidden, (log as OldLog).last, " and type <> 'passport.removed'")
  await fillDerived((work) => work(connection), advance)
}

type Advance = (rows: number) => void

/** `hasSecrets`: from the first schema with this table on, only hidden passports have no secret. */
async function convertPassports({ connection, old }: Conversion, hasSecrets: boolean, advance: Advance) {
  const { query, insertRows } = connection
  let after = -1
  for (;;) {
    const next = `select * from ${old}passports where id > $1 order by id limit ${BATCH}`
    const passports = await query<OldPassport>(next, [after])
    const last = passports.at(-1)?.id
    if (last === undefined) return
    const range = [after, last]
    const points = await query<DataPointRow>(`select * from ${old}data_points where ${IS_IN_RANGE}`, range)
    const credentials = await query<OldCredentials>(
      `select id, data, body from ${old}passports
       left join ${old}credentials as stored on stored.passport_id = id
       left join ${old}v1_credentials as v1 on v1.passport_id = id where id > $1 and id <= $2 order by id`,
      range,
    )
    const owners = new Set([
      ...points.map(({ passport_id }) => passport_id),
      ...credentials.filter(hasCredentials).map(({ id }) => id),
    ])
    const rows = passports.map((row) => toNewPassport(row, owners.has(row.id)))
    await insertRows('passports', rows)
    const newCredentials = credentials.map((row) => ({ passport_id: row.id, ...toNewCredentials(row) }))
    await insertRows('credentials', newCredentials)
    // Later columns are undefined in rows of 0.2.1.
    const newPoints = points.map((row) => toDataPointRow(row.passport_id, toDataPoint(row)))
    await insertRows('data_points', newPoints)
    const secrets = hasSecrets ? [] : passports.map(({ id }) => newSecret(id))
    await insertRows('log_secrets', secrets)
    advance(passports.length)
    after = last
  }
}

/** Removals of 0.2.1 deleted events. Tombstones fill the gaps. */
async function convertEvents(
  { connection: { query, insertRows }, old }: Conversion,
  { first, last }: OldLog,
  advance: Advance,
): Promise<void> {
  const rules = await query<{ id: number; stamp: string }>(`select * from ${old}event_rules`)
  const stamps = new Map(rules.map(({ id, stamp }) => [id, stamp]))
  for (let next = first; next <= last; ) {
    const end = Math.min(last, next + BATCH - 1)
    const packed = await query<PackedRow>(
      `select * from ${old}events where sequence >= $1 and sequence <= $2 order by sequence`,
      [next, end],
    )
    const events = new Map(packed.map((row) => [row.sequence, row]))
    const sequences = Array.from({ length: end - next + 1 }, (_, at) => next + at)
    await insertRows(
      'events',
      sequences.map((sequence) => {
        const row = events.get(sequence)
        return row
          ? unpackEvent(row, (number) => stamps.get(number) as string)
          : tombstone(sequence, EMPTY_HEAD)
      }),
    )
    advance(packed.length)
    next = end + 1
  }
}

async function copyTable({ connection: { query }, old }: Conversion, table: Table, source: Table) {
  const columns = table.columns.filter((column) => source.columns.includes(column))
  await query(
    `insert into ${table.name} (${columns}) select ${columns} from ${old}${source.name} order by ${table.key}`,
  )
}

const IS_IN_RANGE = 'passport_id > $1 and passport_id <= $2'

type OldLog = { name: string; first: number; last: number; time: number; known_since: number }

/** Version 0.2.1 had no hash chain. */
const toNewLog = (log: OldLog) => ({
  ...{ one: 1, base: EMPTY_HEAD, head: EMPTY_HEAD, head_at: log.first - 1 },
  ...log,
})

/** Keys of 0.2.1 could read events; new ones need the scope. */
const toNewKey = ({ hash, ...key }: { hash: Uint8Array }) => ({
  ...{ scopes: 'read events', origins: '', types: '', seen_in_browser: 0 },
  ...key,
  hash: hash.toHex(),
})

/** The columns of all older schemas. Those of hidden passports and expiring scores came after 0.2.1. */
type OldPassport = Omit<StoredRow, 'profile' | 'given' | 'rescore_at' | 'hidden_at'> &
  Partial<Pick<StoredRow, 'rescore_at' | 'hidden_at'>> & {
    display_name: string
    bio: string
    location: string
    /** JSON, as the next ones. */
    tags: string
    socials: string
    /** Empty if no field is known. */
    later_fields: string
    given_human: number
  }

/** `hasEvidence`: whether a rule set may have replaced the scores of the record. They are unknown then. */
function toNewPassport(old: OldPassport, hasEvidence: boolean): StoredRow {
  const { display_name, bio, location, tags, later_fields, given_human, ...row } = old
  const later: LaterFields = later_fields === '' ? {} : JSON.parse(later_fields)
  const recordRow = toRecordRow({
    ...later,
    id: row.id,
    human: row.human === 1,
    givenHuman: given_human === 1,
    givenScores: row.rules === '' || !hasEvidence ? toScores(row) : NO_SCORES,
    connections: row.connections,
    mainWallet: row.main_wallet,
    verifiedWallets: JSON.parse(row.verified_wallets),
    profile: { bio, displayName: display_name, location, tags: JSON.parse(tags) },
    socials: JSON.parse(row.socials),
  })
  return { rescore_at: null, hidden_at: null, ...row, ...recordRow }
}

/** The stored form, and the V1 response of a visible passport. Each is `null` if there is none. */
type OldCredentials = { id: number; data: string | null; body: string | null }

const BODY_START = '{"passport_credentials":'

/** Whether there is a credential that a rule set may have scored. */
const hasCredentials = ({ data, body }: OldCredentials): boolean =>
  ![null, '[]', `${BODY_START}[]}`].includes(data || body)

function toNewCredentials({ data, body }: OldCredentials): CredentialsRow {
  const list = body?.slice(BODY_START.length, -1)
  // Empty: the record gave what the response shows.
  if (!data) return { shown: list ?? '[]', given: null, issuers: '' }
  const credentials: Credential[] = JSON.parse(data)
  const row = toCredentialsRow(credentials)
  return list === undefined || list === row.shown ? row : toUnscoredRow(list, credentials)
}
