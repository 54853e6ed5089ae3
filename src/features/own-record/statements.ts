import { notFound, ServiceError } from '../../core/basics/errors.ts'
import { defineData } from '../../core/store/data.ts'
import { addAuditEntry } from '../../core/store/sql/audit-log.ts'
import { type Database, findNumber, listColumn, type Transaction } from '../../core/store/sql/connection.ts'
import { type CorrectionRequest, MOST_REQUESTS_OF_PERSON } from './subject.ts'

/** Challenges expire before sessions, so they are deleted first. */
export const MOST_PROOFS = 20_000

const EXCESS = `select id from proofs order by expires_at desc limit 1000000 offset ${MOST_PROOFS - 1}`

/** Challenges and sessions. An id is a SHA-256, so that the database has no secret and no wallet. */
export const PROOFS = defineData({
  name: 'proofs',
  tables: ['proofs'],
  writes: ['add', 'take'],
  open: ({ read, write, transaction }: Database) => ({
    /** A session has no digest. Deletes expired entries and, if there are too many, those that expire first. */
    add: ({ id, digest, expiresAt }: { id: string; digest: string; expiresAt: number }, now: number) =>
      transaction(async ({ query, insertRows }) => {
        await query(`delete from proofs where expires_at <= $1 or id in (${EXCESS})`, [now])
        await insertRows('proofs', [{ id, digest, expires_at: expiresAt }])
      }),
    /** Deletes the entry. Returns its digest, or `undefined` if it does not exist or has expired. */
    async take(id: string, now: number): Promise<string | undefined> {
      const taken = 'delete from proofs where id = $1 returning case when expires_at > $2 then digest end'
      return (await listColumn<string | null>(write, taken, [id, now]))[0] ?? undefined
    },
    isValid: async (id: string, now: number) =>
      (await read.query('select id from proofs where id = $1 and expires_at > $2', [id, now])).length > 0,
  }),
})

/** Requests of people for corrections, until they are done. */
export const REQUESTS = defineData({
  name: 'requests',
  tables: ['requests'],
  writes: ['add'],
  open: ({ read, transaction }: Database) => ({
    /** Throws `invalid_request` if the person has too many, or `not_found`. */
    add: (request: CorrectionRequest) => transaction((tx) => addRequest(tx, request)),
    list: () => read.query<CorrectionRequest>('select * from requests order by created_at, id'),
    remove: (id: string) =>
      transaction(async ({ query }) => {
        const [removed] = await query('delete from requests where id = $1 returning id', [id])
        if (removed) await addAuditEntry(query, { action: 'requests.done', detail: { requests: [id] } })
        return removed !== undefined
      }),
  }),
})

async function addRequest({ query, insertRows }: Transaction, request: CorrectionRequest) {
  const owner = [request.passport_id]
  // Concurrent requests of one person wait here.
  const rows = await query('select id from passports where id = $1 LOCK', owner)
  if (rows.length === 0) throw notFound()
  const count = 'select count(*) from requests where passport_id = $1'
  const problem = `You have ${MOST_REQUESTS_OF_PERSON} open requests: wait until the operator has done one.`
  if ((await findNumber(query, count, owner)) >= MOST_REQUESTS_OF_PERSON)
    throw new ServiceError('invalid_request', problem)
  await insertRows('requests', [request])
  const detail = { requests: [request.id], passports: owner }
  await addAuditEntry(query, { actor: 'subject', action: 'requests.create', detail })
}
