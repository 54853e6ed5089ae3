import { expect, test } from 'bun:test'
import { createSearchClient, createSearchServer } from '../../src/catalog/remote-search.ts'
import { ClientGone } from '../../src/domain/errors.ts'
import { snapshotOf } from '../support/store/catalog.ts'

const NAMES = ['ada', 'bob', 'ada b']

const request = {
  keyword: undefined,
  filter: [],
  sort: { field: 'score', descending: true },
  groupBy: undefined,
  after: undefined,
  limit: 1,
} as const

function connectSearch() {
  const server = createSearchServer()
  const ports: MessagePort[] = []
  return {
    server,
    connect() {
      const { port1, port2 } = new MessageChannel()
      ports.push(port1, port2)
      server.connect(port1)
      return createSearchClient(port2).search
    },
    [Symbol.dispose]() {
      for (const port of ports) port.close()
    },
  }
}

const people = (names: readonly string[]) => snapshotOf(names.map((name, id) => ({ id, score: 0, name })))

test('several clients get their results, also for searches sent before the first snapshot', async () => {
  using searches = connectSearch()
  const [one, other] = [searches.connect(), searches.connect()]
  const found = Promise.all([one('ada', 0, 9), other('b', 0, 1), one('c', 0, 9), one('ada', 1, 9)])
  searches.server.update(await people(NAMES))
  expect(await found).toMatchObject([
    { ids: [0, 2], total: 2 },
    { ids: [1], total: 2 },
    { ids: [], total: 0 },
    { ids: [2], total: 2 },
  ])
  searches.server.update(await people(['ada']))
  expect(await other('ada', 0, 9)).toMatchObject({ ids: [0], total: 1 })
})

async function failOnPurpose(): Promise<never> {
  throw new Error('on purpose')
}

test('a list that takes too long is rejected with not_ready, a failed one with its error and its stack', async () => {
  const server = createSearchServer(failOnPurpose)
  const channels = [new MessageChannel(), new MessageChannel()] as const
  for (const { port1 } of channels) server.connect(port1)
  const hasty = createSearchClient(channels[0].port2, 1)
  const patient = createSearchClient(channels[1].port2)
  // There is no snapshot yet.
  await expect(hasty.list(request, undefined)).rejects.toMatchObject({ code: 'not_ready' })
  server.update(await people(NAMES))
  const error = await patient.list(request, undefined).catch((failure) => failure)
  expect(error.message).toBe('on purpose')
  expect(error.stack).toContain('failOnPurpose')
  await expect(patient.list(request, undefined, AbortSignal.abort())).rejects.toThrow(ClientGone)
  for (const { port1, port2 } of channels) {
    port1.close()
    port2.close()
  }
})

test('lists run one at a time; those that are aborted or take too long never run, and the others see the latest snapshot', async () => {
  const held = Promise.withResolvers<void>()
  const ran: string[] = []
  const server = createSearchServer(async (snapshot, list) => {
    ran.push(`${list.limit} of ${snapshot.ids.length}`)
    await held.promise
    return { ids: [list.limit], next: undefined, total: 1, grouped: undefined, cursor: '' }
  })
  const channels = [new MessageChannel(), new MessageChannel()] as const
  for (const { port1 } of channels) server.connect(port1)
  const patient = createSearchClient(channels[0].port2)
  const hasty = createSearchClient(channels[1].port2, 1)
  server.update(await people(['ada']))
  const first = patient.list({ ...request, limit: 1 }, undefined)
  const leaving = new AbortController()
  const left = patient.list({ ...request, limit: 2 }, undefined, leaving.signal)
  const last = patient.list({ ...request, limit: 4 }, undefined)
  await expect(hasty.list({ ...request, limit: 3 }, undefined)).rejects.toMatchObject({ code: 'not_ready' })
  leaving.abort()
  await expect(left).rejects.toThrow(ClientGone)
  server.update(await people(NAMES))
  // Searches do not wait for lists, and arrive after the cancellations.
  expect((await hasty.search('ada', 0, 9)).total).toBe(2)
  expect((await patient.search('ada', 0, 9)).total).toBe(2)
  expect(ran).toEqual(['1 of 1'])
  held.resolve()
  expect((await first).ids).toEqual([1])
  expect((await last).ids).toEqual([4])
  expect(ran).toEqual(['1 of 1', '4 of 3'])
  for (const { port1, port2 } of channels) {
    port1.close()
    port2.close()
  }
})

test('an aborted search is rejected, and the other searches complete', async () => {
  using searches = connectSearch()
  const search = searches.connect()
  const leaving = new AbortController()
  const [left, stayed] = [search('ada', 0, 9, leaving.signal), search('bob', 0, 9)]
  leaving.abort()
  await expect(left).rejects.toThrow(ClientGone)
  searches.server.update(await people(NAMES))
  expect(await stayed).toMatchObject({ ids: [1], total: 1 })
  // Aborting after the end of the search has no effect.
  const late = new AbortController()
  expect((await search('ada', 0, 9, late.signal)).total).toBe(2)
  late.abort()
  expect((await search('bob', 0, 9)).total).toBe(1)
})

test('a client with too many pending searches rejects further ones as overloaded', async () => {
  const server = createSearchServer()
  const { port1, port2 } = new MessageChannel()
  server.connect(port1)
  const client = createSearchClient(port2, 1000, 2)
  const pending = [client.search('ada', 0, 9), client.search('b', 0, 9)]
  await expect(client.search('c', 0, 9)).rejects.toMatchObject({ code: 'overloaded' })
  await expect(client.list(request, undefined)).rejects.toMatchObject({ code: 'overloaded' })
  server.update(await people(NAMES))
  expect(await Promise.all(pending)).toMatchObject([{ total: 2 }, { total: 2 }])
  expect(await client.search('c', 0, 9)).toMatchObject({ total: 0 })
  port1.close()
  port2.close()
})
