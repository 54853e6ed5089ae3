import type { AuditEntry, Store } from '../store.ts'
import type { Query } from './connection.ts'

export const createAudit = (read: Query, write: Query): Store['audit'] => ({
  async add({ time, actor, action, detail }) {
    await write('insert into audit (id, time, actor, action, detail) values ($1, $2, $3, $4, $5)', [
      Bun.randomUUIDv7('hex', time),
      time,
      actor,
      action,
      detail,
    ])
  },
  list: (limit) =>
    read<AuditEntry>(
      `select cast(time as double precision) as time, actor, action, detail from audit order by id desc limit ${limit}`,
    ),
})
