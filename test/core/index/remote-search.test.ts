import { expect, test } from 'bun:test'
import { createSearchClient, createSearchServer } from '../../../src/core/index/remote-search.ts'
import { ClientGone, expectRefusal, ServiceError } from '../../support/program/errors.ts'
import { snapshotOf } from '../../support/store/catalog.ts'

const NAMES = ['ada', 'bob', 'ada b']

const request = { filter: [], sort: { field: 'score', descending: true }, limit: 1 } as const

/** `search` returns the ranks of the matches. */
function connectSearch(
  findList: Parameters<typeof createSearchServer>[0] = failOnPurpose,
  waitForIndex: () => Promise<void> = failOnPurpose,
) {
  const server = createSearchServer(findList, failOnPurpose, waitForIndex)
  const ports: MessagePort[] = []
  return {
    server,
    connect(limits?: Parameters<typeof createSearchClient>[0]) {
      const { port1, port2 } = new MessageChannel()
      ports.push(port1, port2)
      server.connect(port1)
      const client = createSearchClient(limits)
      client.connect(port2)
      return {
        list: client.list,
        waitForIndex: client.waitForIndex,
        find: client.search,
        search: async (keyword: string) => [...((await client.search(keyword, '')).ranks ?? [])],
      }
    },
    [Symbol.dispose]() {
      for (const port of ports) port.close()
    },
  }
}

const people = (names: readonly string[]) => snapshotOf(names.map((name, id) => ({ id, score: 0, name })))

test('each of several clients gets its own results, even for searches that are sent before the first snapshot', async () => {
  using searches = connectSearch()
  const [one, other] = [searches.connect(), searches.connect()]
  const found = Promise.all([one.search('ada'), other.search('b'), one.search('c')])
  searches.server.update(await people(NAMES))
  expect(await found).toEqual([[0, 2], [1, 2], []])
  searches.server.update(await people(['ada']))
  expect(await other.search('ada')).toEqual([0])
})

test('a search returns the snapshot only to a client that has another one', async () => {
  using searches = connectSearch()
  const client = searches.connect()
  const snapshot = await people(NAMES)
  searches.server.update(snapshot)
  expect(Object.keys(await client.find('ada', snapshot.cursor))).toEqual(['ranks'])
  expect((await client.find('ada', 'older')).snapshot).toEqual(snapshot)
})

async function failOnPurpose(): Promise<never> {
  throw new Error('on purpose')
}

test('a list that takes too long is rejected with not_ready, and a list that fails is rejected with its error and stack', async () => {
  using searches = connectSearch(failOnPurpose)
  const [hasty, patient] = [searches.connect({ listMilliseconds: 1 }), searches.connect()]
  // This list waits, because there is no snapshot yet.
  await expectRefusal(hasty.list(request, undefined), 'not_ready')
  searches.server.update(await people(NAMES))
  const error = await patient.list(request, undefined).catch((failure) => failure)
  expect(error.message).toBe('on purpose')
  expect(error.stack).toContain('failOnPurpose')
  await expect(patient.list(request, undefined, AbortSignal.abort())).rejects.toThrow(ClientGone)
})

test('lists run one at a time with the latest snapshot; lists that were aborted or have waited too long do not run', async () => {
  const held = Promise.withResolvers<void>()
  const ran: string[] = []
  using searches = connectSearch(async (snapshot, list) => {
    ran.push(`${list.limit} of ${snapshot.ids.length}`)
    await held.promise
    return { ids: [list.limit], next: undefined, total: 1, grouped: undefined, cursor: '' }
  })
  const [patient, hasty] = [searches.connect(), searches.connect({ listMilliseconds: 1 })]
  searches.server.update(await people(['ada']))
  const first = patient.list({ ...request, limit: 1 }, undefined)
  const leaving = new AbortController()
  const left = patient.list({ ...request, limit: 2 }, undefined, leaving.signal)
  const last = patient.list({ ...request, limit: 4 }, undefined)
  await expectRefusal(hasty.list({ ...request, limit: 3 }, undefined), 'not_ready')
  leaving.abort()
  await expect(left).rejects.toThrow(ClientGone)
  searches.server.update(await people(NAMES))
  // Searches do not wait for lists. When these searches return, the server has received the earlier cancellations.
  expect(await hasty.search('ada')).toEqual([0, 2])
  expect(await patient.search('ada')).toEqual([0, 2])
  expect(ran).toEqual(['1 of 1'])
  held.resolve()
  expect((await first).ids).toEqual([1])
  expect((await last).ids).toEqual([4])
  expect(ran).toEqual(['1 of 1', '4 of 3'])
})

test('a client with too many pending calls rejects further ones as overloaded', async () => {
  using searches = connectSearch()
  const client = searches.connect({ mostWaiting: 2 })
  // A call that cannot be cloned does not count as pending.
  await expect(client.search(Symbol('ada') as never)).rejects.toThrow('cloned')
  const pending = [client.search('ada'), client.search('b')]
  await expectRefusal(client.search('c'), 'overloaded')
  await expectRefusal(client.list(request, undefined), 'overloaded')
  searches.server.update(await people(NAMES))
  expect(await Promise.all(pending)).toEqual([
    [0, 2],
    [1, 2],
  ])
  expect(await client.search('c')).toEqual([])
})

test('a client that leaves ends its wait for the index, and too many waiting requests are rejected as overloaded', async () => {
  const built = Promise.withResolvers<void>()
  using searches = connectSearch(failOnPurpose, () => built.promise)
  searches.server.update(await people(NAMES))
  const client = searches.connect({ mostForIndex: 2 })
  const leaving = new AbortController()
  const left = client.waitForIndex(leaving.signal)
  const waits = [client.waitForIndex()]
  await expectRefusal(client.waitForIndex(), 'overloaded')
  expect(await client.search('ada')).toEqual([0, 2])
  leaving.abort()
  await expect(left).rejects.toThrow(ClientGone)
  waits.push(client.waitForIndex())
  built.resolve()
  await Promise.all(waits)
})

test('a request that waits too long for the index is rejected with not_ready', async () => {
  using searches = connectSearch(failOnPurpose, () => new Promise(() => undefined))
  const client = searches.connect({ indexMilliseconds: 1 })
  await expect(client.waitForIndex()).rejects.toMatchObject({
    code: 'not_ready',
    message: 'The index for filters is being built. Try again shortly.',
  })
})

test('a request gets the error of an index that cannot be built, and later requests wait only after a list lacked the index', async () => {
  const outcomes = [failOnPurpose, async () => undefined, async () => undefined]
  const failures = [
    failOnPurpose,
    async () => Promise.reject(new ServiceError('not_ready', 'is being built')),
  ]
  using searches = connectSearch(
    () => (failures.shift() ?? failOnPurpose)(),
    () => (outcomes.shift() ?? failOnPurpose)(),
  )
  searches.server.update(await people(NAMES))
  const client = searches.connect()
  await expect(client.waitForIndex()).rejects.toThrow('on purpose')
  await client.waitForIndex()
  await client.waitForIndex()
  expect(outcomes).toHaveLength(1)
  await expect(client.list(request, undefined)).rejects.toThrow('on purpose')
  await client.waitForIndex()
  expect(outcomes).toHaveLength(1)
  await expect(client.list(request, undefined)).rejects.toThrow('is being built')
  await client.waitForIndex()
  expect(outcomes).toEqual([])
})
