import { overloaded, ServiceError } from '../../domain/errors.ts'
import {
  MOST_SUBSCRIPTIONS,
  MOST_SUBSCRIPTIONS_OF_KEY,
  type Subscription,
} from '../../domain/webhooks/subscription.ts'
import type { LeaseStore, SubscriptionCount, SubscriptionStore } from '../subscription-store.ts'
import { addAuditEntry } from './audit-log.ts'
import { type Connection, type Database, findNumber, type Query, type Transaction } from './connection.ts'

/** Whether the key of the subscription is valid and may read events. */
const HAS_VALID_KEY = `exists (select 1 from keys where keys.id = key_id and revoked_at is null
  and (expires_at is null or expires_at > $1) and ' ' || scopes || ' ' like '% events %')`

export function createSubscriptions({ read, transaction, write }: Database): SubscriptionStore {
  return {
    create: (subscription, actor) =>
      transaction(async (tx) => {
        await checkLimits(tx, subscription.keyId)
        await tx.insertRows('subscriptions', [toRow(subscription)])
        const detail = { subscriptions: [subscription.id] }
        await addAuditEntry(tx.query, { actor, action: 'subscriptions.create', detail })
      }),
    async find(id) {
      return (await select(read, 'where id = $1', [id]))[0]
    },
    list: (keyId) =>
      keyId === undefined
        ? select(read, 'order by created_at, id')
        : select(read, 'where key_id = $1 order by created_at, id', [keyId]),
    change: (id, change, { actor, action }) =>
      transaction(async (tx) => {
        const [found] = await select(tx, `where id = $1 ${tx.dialect.forUpdate}`, [id])
        if (!found) return undefined
        const { failingSince: _, ...rest } = found
        const changed: Subscription = { ...rest, ...change, failures: 0, nextAttemptAt: 0 }
        await update(tx.query, toRow(changed), 'id = $1', [id])
        const fields = action === 'subscriptions.change' && { changed: Object.keys(change) }
        await addAuditEntry(tx.query, { actor, action, detail: { subscriptions: [id], ...fields } })
        return changed
      }),
    remove: (id, { actor }) =>
      transaction(async ({ query }) => {
        const removed = await query('delete from subscriptions where id = $1 returning id', [id])
        if (removed.length === 0) return false
        await addAuditEntry(query, { actor, action: 'subscriptions.remove', detail: { subscriptions: [id] } })
        return true
      }),
    exist: async () => (await read.query('select 1 as one from subscriptions limit 1')).length > 0,
    listDue: (log, now) =>
      select(
        read,
        `where state = 'active' and next_attempt_at <= $1 and (log <> $2 or position <> $3)
           and ${HAS_VALID_KEY} order by next_attempt_at, id`,
        [now, log.name, log.last],
      ),
    async save({ id, cursor }, after) {
      const { key_id, url, filter, secrets, created_at, state, ...progress } = toRow(after)
      // A client may have paused the subscription during the delivery.
      const changed = state === 'active' ? progress : { ...progress, state }
      const position = 'id = $1 and log = $2 and position = $3'
      const saved = await update(write, changed, position, [id, cursor.log, cursor.sequence])
      return saved[0]?.state === 'active'
    },
    count: ({ name, last }) =>
      read.query<SubscriptionCount>(
        `select state, cast(count(*) as double precision) as count,
           cast(max(case when log = $1 then $2 - position else 0 end) as double precision) as lag
         from subscriptions group by state order by state`,
        [name, last],
      ),
  }
}

/** The clock is that of the database, because the clocks of nodes differ. A lease that ends too late is invalid: the clock was set back. */
export const createLeases = ({ write, read: { dialect } }: Database): LeaseStore => ({
  acquire: async (name, holder, milliseconds) =>
    (
      await write(
        `insert into leases (name, holder, expires_at) values ($1, $2, ${dialect.now} + $3)
         on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
         where leases.holder = excluded.holder or leases.expires_at < ${dialect.now}
           or leases.expires_at > ${dialect.now} + $3 returning name`,
        [name, holder, milliseconds],
      )
    ).length > 0,
  release: async (name, holder) =>
    void (await write('delete from leases where name = $1 and holder = $2', [name, holder])),
})

async function checkLimits({ query, dialect }: Transaction, keyId: string): Promise<void> {
  // Concurrent requests with the same key wait here.
  await query(`select id from keys where id = $1 ${dialect.forUpdate}`, [keyId])
  const count = 'select cast(count(*) as double precision) as count from subscriptions'
  if ((await findNumber(query, `${count} where key_id = $1`, [keyId])) >= MOST_SUBSCRIPTIONS_OF_KEY)
    throw new ServiceError(
      'invalid_request',
      `A key may have ${MOST_SUBSCRIPTIONS_OF_KEY} subscriptions: remove one first.`,
    )
  if ((await findNumber(query, count)) >= MOST_SUBSCRIPTIONS)
    throw overloaded(`The service has ${MOST_SUBSCRIPTIONS} subscriptions, and accepts no more.`)
}

const select = async (connection: Connection, rest: string, values: readonly unknown[] = []) =>
  (await connection.selectRows<Row>('subscriptions', rest, values)).map(toSubscription)

function update(query: Query, row: Partial<Row>, condition: string, values: readonly unknown[]) {
  const columns = Object.keys(row).map((name, at) => `${name} = $${values.length + at + 1}`)
  return query<Pick<Row, 'state'>>(
    `update subscriptions set ${columns.join(', ')} where ${condition} returning state`,
    [...values, ...Object.values(row)],
  )
}

type Row = ReturnType<typeof toRow>

function toRow(subscription: Subscription) {
  const { id, url, state, failures, notice, cursor } = subscription
  return {
    id,
    key_id: subscription.keyId,
    url,
    filter: JSON.stringify(subscription.filter),
    secrets: JSON.stringify(subscription.keys),
    created_at: subscription.createdAt,
    state,
    log: cursor.log,
    position: cursor.sequence,
    failures,
    failing_since: subscription.failingSince ?? null,
    next_attempt_at: subscription.nextAttemptAt,
    last_error: subscription.lastError,
    notice,
    last_delivered_at: subscription.lastDeliveredAt ?? null,
  }
}

function toSubscription(row: Row): Subscription {
  const { id, url, state, log, position: sequence, failures, failing_since, last_delivered_at, notice } = row
  return {
    id,
    keyId: row.key_id,
    url,
    filter: JSON.parse(row.filter),
    keys: JSON.parse(row.secrets),
    createdAt: row.created_at,
    state,
    cursor: { log, sequence },
    failures,
    ...(failing_since !== null && { failingSince: failing_since }),
    nextAttemptAt: row.next_attempt_at,
    lastError: row.last_error,
    notice,
    ...(last_delivered_at !== null && { lastDeliveredAt: last_delivered_at }),
  }
}
