import { expect, test } from 'bun:test'
import { leafOf } from '../../../src/core/history/hash-chain.ts'
import { openStore } from '../../../src/core/store/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { createRandom } from '../../support/random.ts'
import { addressOf, onEveryEngine, saveRecords, type TestStore } from '../../support/store/engines.ts'
import { execute, select } from '../../support/store/execute-sql.ts'
import { computeHead, foldAll } from '../../support/store/hash-chain.ts'
import { NOON, record } from '../../support/store/records.ts'
import { copyPassports } from '../../support/store/store-changes.ts'

const people = (count: number) => Array.from({ length: count }, (_, id) => record(id))

const change = (store: Store, id: number, total: number, now = NOON) =>
  saveRecords(store, [record(id, { scores: { total } })], { now })

onEveryEngine('the hash chain of the event log', (open) => {
  test('pruning deletes a tombstone only with a later event, because its time is unknown', async () => {
    await using store = await open(people(3))
    await change(store, 0, 5, NOON + 5)
    await store.passports.remove(0, NOON + 6)
    await store.passports.remove(2, NOON + 7)
    const { head } = await foldAll(store)
    // Events 1, 3 and 4 are tombstones; event 2 has the time NOON, events 5 and 6 are removals.
    expect(await store.events.prune(NOON)).toBe(0)
    expect(await store.events.prune(NOON + 1)).toBe(2)
    expect(await store.events.prune(NOON + 6)).toBe(0)
    expect(await store.events.log()).toMatchObject({ first: 3, knownSince: NOON })
    expect(await store.events.prune(NOON + 7)).toBe(3)
    expect(await foldAll(store)).toMatchObject({ first: 6, head })
    expect(await computeHead(store)).toBe(head)
  })

  test('very many tombstones at the start of the log do not stop pruning', async () => {
    await using store = await open()
    await addTombstones(store, 20_000)
    await saveRecords(store, [record(1)])
    const { head } = await foldAll(store)
    expect(await store.events.list({ after: 0, limit: 9 })).toMatchObject({ events: [], end: 10_000 })
    for (let batch = 0; batch < 4; batch++) expect(await store.events.prune(NOON)).toBe(5000)
    // The first event has a time now, which is too new.
    expect(await store.events.prune(NOON)).toBe(0)
    expect(await store.events.prune(NOON + 1)).toBe(1)
    expect(await foldAll(store)).toMatchObject({ first: 20_002, head })
    expect(await computeHead(store)).toBe(head)
  })

  test('without its secret, a removed event cannot be guessed', async () => {
    await using store = await open([record(1, { scores: { total: 437 }, human: true })])
    const [added] = (await store.events.listProven({ after: 0, limit: 1 })).events
    await store.passports.remove(1, NOON)
    const [tombstone] = (await store.events.listProven({ after: 0, limit: 1 })).events
    const { leaf } = tombstone as { leaf: string }
    const guess = (score: number, human: boolean, time: number, salt: string) => {
      const data = { score, human_checkmark: human, rules: null }
      const content = {
        time: new Date(time).toISOString(),
        type: 'passport.added',
        subject: '1',
        data,
      } as const
      return leafOf(1, content, salt)
    }
    // With the salt, the same guess is right.
    expect(guess(437, true, NOON, (added as { salt: string }).salt)).toBe(leaf)
    let guesses = 0
    for (let score = 0; score <= 1000; score++)
      for (const human of [true, false])
        for (const salt of ['', '0'.repeat(32)]) {
          expect(guess(score, human, NOON, salt) === leaf).toBe(false)
          guesses++
        }
    for (let time = NOON; time < NOON + 1000; time++)
      for (const human of [true, false]) {
        expect(guess(437, human, time, '') === leaf).toBe(false)
        guesses++
      }
    expect(guesses).toBe(6004)
    expect(await listSecrets(store)).toEqual([])
  })

  test('a passport has a secret of 16 random bytes from its first event to its removal', async () => {
    await using store = await open(people(3))
    const secrets = await listSecrets(store)
    expect(secrets.map(({ passport_id }) => Number(passport_id))).toEqual([0, 1, 2])
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(3)
    for (const { secret } of secrets) expect(secret).toMatch(/^[0-9a-f]{32}$/)
    await change(store, 1, 5)
    await store.passports.merge(1, 2)
    expect(await listSecrets(store)).toEqual(secrets)
    await store.passports.remove(2, NOON)
    expect(await listSecrets(store)).toEqual(secrets.slice(0, 1))
  })

  test('a copy begins a new chain with other secrets', async () => {
    await using store = await open(people(4))
    await using copy = await open([record(2), record(9)])
    await foldAll(copy)
    await copyPassports(store, copy)
    const secrets = await listSecrets(copy)
    expect(secrets.map(({ passport_id }) => Number(passport_id))).toEqual([0, 1, 2, 3])
    const known = new Set((await listSecrets(store)).map(({ secret }) => secret))
    expect(secrets.filter(({ secret }) => known.has(secret))).toEqual([])
    expect(await copy.events.fold(9)).toMatchObject({ first: 3, last: 2, length: 2, head: '0'.repeat(64) })
    await change(copy, 1, 5)
    expect((await foldAll(copy)).head).toBe(await computeHead(copy, '0'.repeat(64)))
  })

  test('removals, pruning and two nodes that advance the head at once lead to the same head', async () => {
    await using store = await open(people(60))
    await using other = await openStore(addressOf(store))
    const random = createRandom(34)
    const write = async () => {
      for (let round = 1; round <= 40; round++) {
        await change(store, 100 + random.whole(0, 50), round, NOON + round)
        if (round % 5 === 0) await other.passports.remove(round, NOON + round)
      }
    }
    const fold = async (node: Store) => {
      for (let times = 0; times < 60; times++) await node.events.fold(random.whole(1, 9))
    }
    const prune = async () => {
      for (let time = 1; time <= 20; time++) await other.events.prune(NOON + time)
    }
    const tracked = trackHead(store)
    await Promise.all([write(), fold(store), fold(other), prune()])
    const log = await foldAll(store)
    expect(log.first).toBeGreaterThan(1)
    expect(log.head).toBe(await computeHead(store))
    await tracked
  })
})

const listSecrets = ({ url }: TestStore) =>
  select<{ passport_id: number; secret: string }>(url, 'select * from log_secrets order by passport_id')

/** Two heads of the same number must be equal. */
async function trackHead({ events }: Store): Promise<void> {
  const heads = new Map<number, string>()
  for (let times = 0; times < 50; times++) {
    const { length, head } = await events.fold(3)
    expect(heads.getOrInsert(length, head)).toBe(head)
  }
}

async function addTombstones({ url }: TestStore, count: number): Promise<void> {
  const numbers = url.startsWith('sqlite:')
    ? `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
       select number, 0, 'tombstone', '{"leaf":"' || lower(hex(randomblob(32))) || '"}' from numbers`
    : `select number, 0, 'tombstone', '{"leaf":"' || encode(sha256(number::text::bytea), 'hex') || '"}' from generate_series(1, ${count}) as number`
  await execute(url, `insert into events (sequence, time, type, data) ${numbers}`)
  await execute(url, `update event_log set last = ${count}`)
}
