import { defineData } from '../../core/store/data.ts'
import type { Database } from '../../core/store/sql/connection.ts'
import { COPYING } from '../../core/store/sql/settings.ts'
import { listTables, type Table } from '../../core/store/sql/tables.ts'
import { newSecret, restartEventLog } from '../../core/store/write/write-events.ts'

export type CopyRow = Readonly<Record<string, string | number | null>>

export type CopyKey = readonly (string | number)[]
export type CopyRange = { after?: CopyKey | undefined; until?: CopyKey | undefined }

export type CopyableTable = ReturnType<typeof createTable>

/** Tables that a copy begins again: its event log is another one. */
const LOCAL_TABLES = ['events', 'event_log', 'log_secrets', 'leases', 'proofs', 'saved_index']

export const COPY = defineData({
  name: 'copy',
  open: (database) => ({
    async listTables() {
      const tables = await listTables(database.read)
      const copied = tables.filter(({ name, key }) => key.length > 0 && !LOCAL_TABLES.includes(name))
      return copied.map((table) => createTable(database, table))
    },
  }),
})

function createTable({ long, transaction }: Database, { name, key, columns }: Table) {
  const conditionOf = (range: CopyRange) => {
    const { condition, values } = rangeOf(key, range)
    // The setting that marks a copy is not copied.
    return { condition: name === 'settings' ? `${condition} and name <> '${COPYING}'` : condition, values }
  }
  return {
    name,
    keyOf: (row: CopyRow): CopyKey => key.map((column) => row[column] as string | number),
    /** The rows after the key `after`, up to and including the key `until`, in their order. */
    list({ limit, ...range }: CopyRange & { limit?: number }): Promise<CopyRow[]> {
      const { condition, values } = conditionOf(range)
      const rest = `where ${condition} order by ${key} ${limit === undefined ? '' : `limit ${limit}`}`
      return long.query<CopyRow>(`select * from ${name} ${rest}`, values)
    },
    replace: (range: CopyRange, rows: readonly CopyRow[]): Promise<void> =>
      transaction(async (tx) => {
        const { condition, values } = conditionOf(range)
        await tx.query(`delete from ${name} where ${condition}`, values)
        await tx.insertRows(name, rows)
        if (name === 'passports') {
          const { condition: isInRange } = rangeOf(['passport_id'], range)
          await tx.query(`delete from log_secrets where ${isInRange}`, values)
          await tx.insertRows(
            'log_secrets',
            rows.map(({ id }) => newSecret(id as number)),
          )
        }
        const isOfPassports = name === 'passports' || columns.includes('passport_id')
        if (isOfPassports) await restartEventLog(tx, Date.now())
      }, 'records'),
  }
}

function rangeOf(key: readonly string[], { after, until }: CopyRange) {
  const values: (string | number)[] = []
  const bound = (operator: string, end: CopyKey) => {
    const marks = end.map((value) => `$${values.push(value)}`)
    return `(${key.join(', ')}) ${operator} (${marks.join(', ')})`
  }
  const conditions = [...(after ? [bound('>', after)] : []), ...(until ? [bound('<=', until)] : [])]
  return { condition: conditions.join(' and ') || 'true', values }
}
