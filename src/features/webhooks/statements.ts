import { overloaded, ServiceError } from '../../core/basics/errors.ts'
import type { Actor, EventLog } from '../../core/history/event.ts'
import { defineData } from '../../core/store/data.ts'
import { toColumns, toFields } from '../../core/store/rows/columns.ts'
import { addAuditEntry } from '../../core/store/sql/audit-log.ts'
import {
  type Connection,
  type Database,
  findNumber,
  type Query,
  type Transaction,
} from '../../core/store/sql/connection.ts'
import {
  MOST_SUBSCRIPTIONS,
  MOST_SUBSCRIPTIONS_OF_KEY,
  NO_FAILURES,
  type Subscription,
  type SubscriptionState,
} from './subscription.ts'

/** Whether the key of the subscription is valid and may read events. */
const HAS_VALID_KEY = `exists (select 1 from keys where keys.id = key_id and revoked_at is null
  and (expires_at is null or expires_at > $1) and ' ' || scopes || ' ' like '% events %')`

const IS_DUE = `where state = 'active' and next_attempt_at <= $1 and (log <> $2 or position <> $3)
  and ${HAS_VALID_KEY} order by next_attempt_at, id`

type SubscriptionChange = Partial<
  Pick<Subscription, 'url' | 'filter' | 'keys' | 'state' | 'cursor' | 'notice'>
>

/** A client may have paused the subscription during the delivery, so `state` is absent while it stays active. */
export type DeliveryProgress = Partial<
  Omit<Subscription, 'id' | 'keyId' | 'url' | 'filter' | 'keys' | 'createdAt'>
>

/** `lag` is the largest number of events that a subscription with a valid key is behind the log. */
export type SubscriptionCount = { state: SubscriptionState; count: number; lag: number }

/** A change by a person or a client names its actor, and adds an entry to the audit log. */
export const SUBSCRIPTIONS = defineData({
  name: 'subscriptions',
  tables: ['subscriptions'],
  open: (database: Database) => createSubscriptions(database),
  writes: ['create', 'change', 'remove'],
})

/** Work that one node does at a time. Only the delivery thread uses leases. */
export const LEASES = defineData({
  name: 'leases',
  tables: ['leases'],
  open: (database) => createLeases(database),
})

export type SubscriptionStore = ReturnType<typeof createSubscriptions>

function createSubscriptions({ read, transaction, write }: Database) {
  return {
    /** Throws `invalid_request` if the key has too many subscriptions, and `overloaded` if all keys together have. */
    create: (subscription: Subscription, actor: Actor) =>
      transaction((tx) => createSubscription(tx, subscription, actor)),
    find: async (id: string) => (await selectSubscriptions(read, 'where id = $1', [id])).at(0),
    /** Oldest first; all subscriptions without a key. */
    list: (keyId?: string) =>
      keyId === undefined
        ? selectSubscriptions(read, 'order by created_at, id')
        : selectSubscriptions(read, 'where key_id = $1 order by created_at, id', [keyId]),
    /** Absent fields stay unchanged. Ends the wait for the next attempt. New keys are a rotation in the audit log. */
    change: (id: string, change: SubscriptionChange, actor: Actor) =>
      transaction((tx) => changeSubscription(tx, id, change, actor)),
    remove: (id: string, actor: Actor) =>
      transaction(async ({ query }) => {
        const removed = await query('delete from subscriptions where id = $1 returning id', [id])
        if (removed.length === 0) return false
        await addAuditEntry(query, { actor, action: 'subscriptions.remove', detail: { subscriptions: [id] } })
        return true
      }),
    exist: async () => (await read.query('select 1 as one from subscriptions limit 1')).length > 0,
    /** The active subscriptions of valid keys that are behind the log and do not wait, the longest waiting first. */
    listDue: ({ name, last }: EventLog, now: number) => selectSubscriptions(read, IS_DUE, [now, name, last]),
    /** Saves the result of a delivery, unless a client changed the subscription. Returns whether it is active. */
    async save({ id, cursor, filter, url }: Subscription, progress: DeliveryProgress) {
      const unchanged = 'id = $1 and log = $2 and position = $3 and filter = $4 and url = $5'
      const values = [id, cursor.log, cursor.sequence, JSON.stringify(filter), url]
      const [saved] = await update(write, progress, unchanged, values)
      return saved?.state === 'active'
    },
    count: ({ name, last }: EventLog, now: number) =>
      read.query<SubscriptionCount>(
        `select state, count(*) as count,
           max(case when log = $2 and ${HAS_VALID_KEY} then $3 - position else 0 end) as lag
         from subscriptions group by state order by state`,
        [now, name, last],
      ),
  }
}

async function createSubscription(tx: Transaction, subscription: Subscription, actor: Actor): Promise<void> {
  const keyId = await findOwner(tx, subscription.keyId)
  await checkLimits(tx, keyId)
  await tx.insertRows('subscriptions', [subscriptionRow({ ...subscription, keyId })])
  const detail = { subscriptions: [subscription.id] }
  await addAuditEntry(tx.query, { actor, action: 'subscriptions.create', detail })
}

async function changeSubscription(tx: Transaction, id: string, change: SubscriptionChange, actor: Actor) {
  const { lastError, ...noFailures } = NO_FAILURES
  await update(tx.query, { ...noFailures, ...change }, 'id = $1', [id])
  const [changed] = await selectSubscriptions(tx, 'where id = $1', [id])
  if (!changed) return undefined
  const action = change.keys ? 'subscriptions.rotate' : 'subscriptions.change'
  const fields = !change.keys && { changed: Object.keys(change) }
  await addAuditEntry(tx.query, { actor, action, detail: { subscriptions: [id], ...fields } })
  return changed
}

/** The clock is that of the database, because those of nodes differ. If it was set back, a lease ends too late. */
const createLeases = ({ write }: Database) => ({
  /** Takes or renews the lease. Returns false while another holder has it. */
  async acquire(name: string, holder: string, milliseconds: number): Promise<boolean> {
    const rows = await write(ACQUIRE, [name, holder, milliseconds])
    return rows.length > 0
  },
  async release(name: string, holder: string): Promise<void> {
    await write('delete from leases where name = $1 and holder = $2', [name, holder])
  },
})

const ACQUIRE = `insert into leases (name, holder, expires_at) values ($1, $2, NOW + $3)
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
  where leases.holder = excluded.holder or leases.expires_at < NOW or leases.expires_at > NOW + $3 returning name`

export type LeaseStore = ReturnType<typeof createLeases>

/** The key, or its successor after a rotation. Concurrent requests with the same key wait here. */
async function findOwner({ query }: Transaction, keyId: string): Promise<string> {
  const ownerOf = 'select coalesce(successor, id) as owner from keys where id = $1 LOCK'
  return (await query<{ owner: string }>(ownerOf, [keyId]))[0]?.owner ?? keyId
}

async function checkLimits({ query }: Transaction, keyId: string): Promise<void> {
  const count = 'select count(*) from subscriptions'
  const problem = `A key may have ${MOST_SUBSCRIPTIONS_OF_KEY} subscriptions: remove one first.`
  if ((await findNumber(query, `${count} where key_id = $1`, [keyId])) >= MOST_SUBSCRIPTIONS_OF_KEY)
    throw new ServiceError('invalid_request', problem)
  if ((await findNumber(query, count)) >= MOST_SUBSCRIPTIONS)
    throw overloaded(`The service has ${MOST_SUBSCRIPTIONS} subscriptions, and accepts no more.`)
}

const selectSubscriptions = async (connection: Connection, rest: string, values: readonly unknown[] = []) =>
  (await connection.query<Row>(`select * from subscriptions ${rest}`, values)).map(toSubscription)

function update(query: Query, change: Partial<Subscription>, condition: string, values: readonly unknown[]) {
  const row = subscriptionRow(change)
  const columns = Object.keys(row).map((name, at) => `${name} = $${values.length + at + 1}`)
  return query<Pick<Subscription, 'state'>>(
    `update subscriptions set ${columns.join(', ')} where ${condition} returning state`,
    [...values, ...Object.values(row)],
  )
}

/** The columns of a subscription. Columns that are not here have the name of a field, in snake case. */
type Row = { filter: string; secrets: string; log: string; position: number }

const subscriptionRow = ({ filter, keys, cursor, ...fields }: Partial<Subscription>) => ({
  ...toColumns(fields),
  ...(filter && { filter: JSON.stringify(filter) }),
  ...(keys && { secrets: JSON.stringify(keys) }),
  ...(cursor && { log: cursor.log, position: cursor.sequence }),
})

const toSubscription = ({ filter, secrets, log, position, ...columns }: Row) =>
  ({
    ...toFields(columns),
    filter: JSON.parse(filter),
    keys: JSON.parse(secrets),
    cursor: { log, sequence: position },
  }) as Subscription
