import { afterEach, expect, test } from 'bun:test'
import {
  answerIndexCalls,
  createIndexClient,
  createIndexState,
  VERSION,
} from '../../../src/core/index/calls.ts'
import { openLiveIndex } from '../../../src/core/index/live.ts'
import { parseFilter, parseSort } from '../../support/index/facets.ts'
import { expectRefusal } from '../../support/program/errors.ts'
import { onEngine } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

const NO_COPY = { async *read() {}, write: () => Promise.resolve(false) }

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

function connect(live: Parameters<typeof answerIndexCalls>[1]) {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  const client = createIndexClient()
  const state = createIndexState()
  state[VERSION] = 1
  client.share(state)
  client.connect(port1)
  answerIndexCalls(port2, live)
  return client
}

const request = { filter: parseFilter('human:true'), sort: parseSort(), limit: 25 }

onEngine('sqlite', 'calls of the index', (open) => {
  test('another thread gets lists, searches and ranks', async () => {
    await using store = await open([record(1, { human: true }), record(2)])
    const live = await openLiveIndex(store, NO_COPY)
    const { call } = connect(() => live)
    expect(await call('list', { request })).toMatchObject({ ids: [1], total: 1, cursor: live.cursor })
    expect(await call('search', { ...request, text: 'not human', filter: [] })).toMatchObject({
      page: { ids: [2] },
    })
    expect(await call('standings', [{ total: 0, activity: 1, identity: 0, skills: -1 }])).toEqual([
      {
        total: { rank: 1, below: 0, total: 2 },
        activity: { rank: 1, below: 2, total: 2 },
        identity: { rank: 1, below: 0, total: 2 },
        skills: { rank: 3, below: 0, total: 2 },
      },
    ])
    const place = { position: { value: 0, id: 2 }, tag: 'zk', most: 3 }
    expect(await call('neighbours', place)).toEqual({ above: 1, ids: [] })
    expect((await call('distribution', undefined)).distribution).toContain(2)
  })

  test('an error of the index is that of the call, and a call of a client that is gone is not answered', async () => {
    const { call } = connect(() => {
      throw new Error('not ready yet')
    })
    await expect(call('list', { request })).rejects.toThrow('not ready yet')
    await expect(call('list', { request }, AbortSignal.abort())).rejects.toThrow()
  })

  test('a client with too many pending calls rejects further ones as overloaded, and the next thread answers them', async () => {
    await using store = await open([record(1, { human: true })])
    const live = await openLiveIndex(store, NO_COPY)
    const client = connect(() => live)
    // A thread that never answers.
    client.connect(new MessageChannel().port1)
    const pending = Array.from({ length: 2000 }, () => client.call('list', { request }))
    await expectRefusal(client.call('list', { request }), 'overloaded')
    const next = new MessageChannel()
    ports.push(next.port1, next.port2)
    client.connect(next.port1)
    answerIndexCalls(next.port2, () => live)
    expect(new Set((await Promise.all(pending)).map(({ total }) => total))).toEqual(new Set([1]))
  })
})
