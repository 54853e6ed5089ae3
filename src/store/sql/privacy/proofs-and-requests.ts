import { notFound, ServiceError } from '../../../domain/errors.ts'
import { type CorrectionRequest, MOST_REQUESTS_OF_PERSON } from '../../../domain/subject.ts'
import type { ProofStore, RequestStore } from '../../proof-and-request-store.ts'
import { addAuditEntry } from '../audit-log.ts'
import { type Database, findNumber, listColumn } from '../connection.ts'

/** At most this many challenges and sessions are kept. Challenges expire first, so they are deleted first. */
export const MOST_PROOFS = 20_000

const EXCESS = `select id from proofs order by expires_at desc limit 1000000 offset ${MOST_PROOFS - 1}`

export const createProofs = ({ read, write, transaction }: Database): ProofStore => ({
  add: ({ id, digest, expiresAt }, now) =>
    transaction(async ({ query }) => {
      await query(`delete from proofs where expires_at <= $1 or id in (${EXCESS})`, [now])
      await query('insert into proofs (id, digest, expires_at) values ($1, $2, $3)', [id, digest, expiresAt])
    }),
  async take(id, now) {
    const taken = 'delete from proofs where id = $1 returning case when expires_at > $2 then digest end'
    return (await listColumn<string | null>(write, taken, [id, now]))[0] ?? undefined
  },
  async isValid(id, now) {
    const found = 'select 1 as one from proofs where id = $1 and expires_at > $2'
    return (await read.query(found, [id, now])).length > 0
  },
})

export const createRequests = ({ read, transaction }: Database): RequestStore => ({
  add: ({ id, passportId, text, createdAt }) =>
    transaction(async ({ query, insertRows, dialect }) => {
      // Concurrent requests of one person wait here.
      const owner = `select id from passports where id = $1 ${dialect.forUpdate}`
      if ((await query(owner, [passportId])).length === 0) throw notFound()
      const count = 'select cast(count(*) as double precision) as count from requests where passport_id = $1'
      if ((await findNumber(query, count, [passportId])) >= MOST_REQUESTS_OF_PERSON)
        throw new ServiceError(
          'invalid_request',
          `A person may have ${MOST_REQUESTS_OF_PERSON} open requests: wait until the operator has answered one.`,
        )
      await insertRows('requests', [{ id, passport_id: passportId, text, created_at: createdAt }])
      const detail = { requests: [id], passports: [passportId] }
      await addAuditEntry(query, { actor: 'subject', action: 'requests.create', detail })
    }),
  async list() {
    const rows = await read.selectRows<Row>('requests', 'order by created_at, id')
    return rows.map(({ passport_id, created_at, ...row }) => ({
      ...row,
      passportId: passport_id,
      createdAt: created_at,
    }))
  },
  remove: (id) =>
    transaction(async ({ query }) => {
      const removed = await query('delete from requests where id = $1 returning id', [id])
      if (removed.length === 0) return false
      await addAuditEntry(query, { action: 'requests.done', detail: { requests: [id] } })
      return true
    }),
})

type Row = Pick<CorrectionRequest, 'id' | 'text'> & { passport_id: number; created_at: number }
