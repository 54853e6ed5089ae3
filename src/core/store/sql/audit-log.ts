import type { AuditEntry } from '../../history/event.ts'
import { defineData } from '../data.ts'
import type { Query } from './connection.ts'

const MOST_IDS = 10

const BATCH = 1000

/** Call it in the transaction of the change, so that neither is saved without the other. */
export async function addAuditEntry(
  query: Query,
  { actor = 'cli', action, detail }: Partial<AuditEntry> & Pick<AuditEntry, 'action' | 'detail'>,
): Promise<void> {
  const values = [Bun.randomUUIDv7(), Date.now(), actor, action, JSON.stringify(detail)]
  await query('insert into audit (id, time, actor, action, detail) values ($1, $2, $3, $4, $5)', values)
}

/** Lists the first ids under a name, and counts all of them if there are more. */
export const listSome = (name: string, ids: readonly (string | number)[]) => ({
  ...(ids.length > MOST_IDS && { count: ids.length }),
  [name]: ids.slice(0, MOST_IDS),
})

/** Functions that change something add an entry in the same transaction. */
export const AUDIT = defineData({
  name: 'audit',
  tables: ['audit'],
  open: ({ read, write }) => ({
    /** The latest entries, newest first. */
    async list({ limit, since = 0 }: { limit: number; since?: number | undefined }): Promise<AuditEntry[]> {
      const rows = await read.query<AuditEntry & { detail: string }>(
        `select time, actor, action, detail from audit where time >= $1
         order by id desc limit ${limit}`,
        [since],
      )
      return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
    },
    /** Deletes a batch of the oldest entries before a time; returns whether there were any. */
    async removeOldest(before: number): Promise<boolean> {
      const oldest = `select id, time from audit order by id limit ${BATCH}`
      const isOld = `id in (select id from (${oldest}) as oldest where time < $1)`
      return (await write(`delete from audit where ${isOld} returning 1 as one`, [before])).length > 0
    },
  }),
})
