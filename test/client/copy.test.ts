import { expect, test } from 'bun:test'
import { createClient, type V3Change, type V3Passport } from '../../packages/client/src/index.ts'
import { serveEvents } from '../support/http/event-stream.ts'
import { makeKey } from '../support/http/keys.ts'
import { failureOf, serveTest } from '../support/http/server.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../support/store/engines.ts'
import { checkHistories } from '../support/store/random-histories.ts'
import { NOON, named } from '../support/store/records.ts'
import { until } from '../support/wait-until.ts'

type Change = V3Change<V3Passport>

/** What a program stores: passports by id and the last checkpoint. `starts` counts how often the copy began. */
function createCopy() {
  const passports = new Map<number, V3Passport>()
  const state = { passports, cursor: undefined as string | undefined, isCurrent: false, starts: 0 }
  const apply = (change: Change): void => {
    if (change.type === 'put') passports.set(change.passport.passport_id, change.passport)
    else if (change.type === 'delete') passports.delete(change.id)
    else if (change.type === 'checkpoint')
      Object.assign(state, { cursor: change.cursor, isCurrent: change.isCurrent })
    else {
      state.starts++
      passports.clear()
    }
  }
  return { state, apply }
}

const INCLUDE = { include: ['credentials'] } as const

/** Sorted by id. The end of a calculation without a new score is not an event. */
const comparable = (passports: Iterable<V3Passport>) =>
  [...passports]
    .map(({ calculating_score: _, ...passport }) => passport)
    .sort((a, b) => a.passport_id - b.passport_id)

type V3 = ReturnType<typeof createClient>['v3']

const readAll = async (v3: V3) => comparable(await Array.fromAsync(v3.list(INCLUDE)))

const people = (count: number) => Array.from({ length: count }, (_, id) => named(id, `Person ${id}`, id))

async function serve(count: number) {
  const server = await serveEvents(await openTestStore('sqlite', people(count)))
  return { ...server, v3: createClient({ baseUrl: server.url, apiKey: server.key }).v3 }
}

onEveryEngine('a copy of all passports', (open, engine) => {
  test.concurrent('equals the list after any history of records, merges and removals', async () => {
    await using servers = new AsyncDisposableStack()
    await checkHistories(open, engine, async (store) => {
      const { key } = await makeKey(store, 1)
      const { v3 } = createClient({ baseUrl: servers.use(serveTest(store)).url, apiKey: key })
      const { state, apply } = createCopy()
      return async () => {
        for await (const change of v3.copy({ ...INCLUDE, after: state.cursor })) apply(change)
        expect(state).toMatchObject({ starts: 1, isCurrent: true })
        expect(comparable(state.passports.values())).toEqual(await readAll(v3))
      }
    })
  })
})

test.concurrent('copy({ follow }) yields changes as they happen, until it is aborted', async () => {
  await using server = await serve(3)
  const { v3, store } = server
  const { state, apply } = createCopy()
  const { signal, abort } = abortable()
  const deleted: Change[] = []
  const copying = (async () => {
    for await (const change of v3.copy({ ...INCLUDE, follow: true, signal })) {
      apply(change)
      if (change.type === 'delete') deleted.push(change)
    }
  })().catch((error: unknown) => error)
  const isEqual = async () => Bun.deepEquals(comparable(state.passports.values()), await readAll(v3))
  await until(() => state.isCurrent)
  expect([...state.passports.keys()]).toEqual([2, 1, 0])
  await saveRecords(store, [named(1, 'Renamed', 8), named(9, 'New', 1)])
  await until(isEqual)
  await store.passports.merge(0, 9)
  await until(isEqual)
  await store.passports.remove(2, NOON)
  await until(isEqual)
  expect(deleted).toEqual([
    { type: 'delete', id: 0, mergedInto: 9 },
    { type: 'delete', id: 2 },
  ])
  await store.passports.unmerge(0)
  await until(isEqual)
  expect(state.starts).toBe(1)
  abort(new Error('No longer.'))
  expect(await copying).toEqual(new Error('No longer.'))
  await until(() => server.openStreams() === 0)
})

test.concurrent('a copy continues after its last checkpoint, also in the middle of the list', async () => {
  await using server = await serve(120)
  const { v3, store } = server
  const { state, apply } = createCopy()
  const puts: number[] = []
  const resume = async (checkpoints: number) => {
    for await (const change of v3.copy({ ...INCLUDE, after: state.cursor })) {
      apply(change)
      if (change.type === 'put') puts.push(change.passport.passport_id)
      if (change.type === 'checkpoint' && --checkpoints === 0) break
    }
    return puts.splice(0)
  }
  expect(await resume(1)).toEqual(
    people(120)
      .map(({ id }) => id)
      .slice(70)
      .reverse(),
  )
  // Passport 119 is behind the position, 3 before it, and 60 moves from before it to behind it.
  await saveRecords(store, [named(119, 'Renamed', 119), named(3, 'Renamed', 3), named(60, 'First', 500)])
  await store.passports.remove(100, NOON)
  expect(await resume(1)).toHaveLength(50)
  const rest = await resume(Number.POSITIVE_INFINITY)
  expect(rest).toHaveLength(19 + 3)
  expect(rest.slice(-3).sort()).toEqual([119, 3, 60])
  expect(state).toMatchObject({ starts: 1, isCurrent: true })
  expect(comparable(state.passports.values())).toEqual(await readAll(v3))
  expect(await resume(Number.POSITIVE_INFINITY)).toEqual([])
})

test.concurrent('a copy begins again if its cursor expired, and passes on other errors', async () => {
  await using server = await serve(2)
  const types = async (after: string): Promise<unknown[]> => {
    const changes = await Array.fromAsync(server.v3.copy({ after, select: ['score'] }))
    return changes.map((change) => (change.type === 'put' ? change.passport : change.type))
  }
  const all = [
    'start',
    { passport_id: 1, score: 1 },
    { passport_id: 0, score: 0 },
    'checkpoint',
    'checkpoint',
  ]
  expect(await types('foreign-1')).toEqual(all)
  expect(await failureOf(types('malformed'))).toMatchObject({ code: 'invalid_request', status: 400 })
  const anonymous = createClient({ baseUrl: server.url }).v3
  expect(await failureOf(Array.fromAsync(anonymous.copy()))).toMatchObject({ code: 'unauthorized' })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) }
}
