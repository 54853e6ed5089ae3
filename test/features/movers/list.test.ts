import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MOVERS_SORTS, type MoversSort } from '../../../src/core/lists/list-request.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { findMovers } from '../../../src/features/movers/list.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { createLocalIndex } from '../../support/index/local-index.ts'
import { ClientGone } from '../../support/program/errors.ts'
import { roundScore } from '../../support/program/text.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { credential, NOON, record } from '../../support/store/records.ts'

const DAY = 86_400_000
const PATH = '/api/v3/passports'
const SINCE = NOON - 7 * DAY
const since = new Date(SINCE).toISOString()

const person = (id: number, score: number) =>
  record(id, {
    credentials: [credential('github', { type: 'github', name: 'GitHub', category: 'Skills', score })],
    scores: { total: score, skills: score },
  })

const save = (store: Store, now: number, ...scores: [id: number, score: number][]) =>
  saveRecords(
    store,
    scores.map(([id, score]) => person(id, score)),
    { now },
  )

/** The passport that others are merged into. */
const SURVIVOR = 99

const pathOf = (sort: string, more: Record<string, string> = {}) =>
  `${PATH}?${new URLSearchParams({ sort, since, ...more })}`

onEveryEngine('movers', (open, engine) => {
  test('the lists of rises, falls and new passports equal a naive comparison of the scores at both times', async () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      score: fc.integer({ min: 0, max: 5 }),
      kind: fc.constantFrom('save', 'save', 'save', 'save', 'remove', 'merge'),
      isLater: fc.constantFrom(0, 1),
    })
    const changes = fc.array(change, { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        await using store = await open()
        await save(store, SINCE, [SURVIVOR, 1])
        const scores = { before: new Map([[SURVIVOR, 1]]), after: new Map([[SURVIVOR, 1]]) }
        const gone = new Set<number>()
        for (const { id, score, kind, isLater } of all.toSorted(
          (one, other) => one.isLater - other.isLater,
        )) {
          if (gone.has(id) || (kind === 'merge' && !scores.after.has(id))) continue
          const now = SINCE + isLater
          if (kind === 'save') await save(store, now, [id, score])
          else if (kind === 'remove') await store.passports.remove(id, now)
          else await store.passports.merge(id, SURVIVOR, now)
          if (kind !== 'save') gone.add(id)
          for (const known of isLater ? [scores.after] : [scores.before, scores.after])
            if (kind === 'save') known.set(id, score)
            else known.delete(id)
        }
        await using server = serveTest(store, { now: () => NOON })
        for (const sort of MOVERS_SORTS) {
          const { body } = await server.get(pathOf(sort))
          const found = body.items.map((item: { passport_id: number; change: { score: number[] } }) => [
            item.passport_id,
            ...item.change.score,
          ])
          const expected = compareNaively(scores, sort)
          expect(found).toEqual(sort === '-added' ? expect.arrayContaining(expected) : expected)
          expect(body).toMatchObject({ total: expected.length, next: null })
        }
      }),
      { numRuns: engine === 'sqlite' ? 20 : 5 },
    )
  })

  test('a change has the causes between both times, and pages follow each other', async () => {
    await using store = await open()
    await save(store, SINCE, [1, 10], [2, 10], [3, 10], [4, 10])
    await save(store, SINCE + DAY, [1, 30], [2, 12], [3, 4])
    await save(store, SINCE + 2 * DAY, [1, 21], [5, 7])
    await using server = serveTest(store, { now: () => NOON })
    const first = await server.get(pathOf('-change', { limit: '1', select: 'passport_id,change' }))
    expect(first.body).toEqual({
      items: [
        {
          passport_id: 1,
          change: {
            passport_id: 1,
            from: since,
            to: new Date(NOON).toISOString(),
            score: [10, 21],
            causes: [{ type: 'github', delta: 11, cause: 'record' }],
          },
        },
      ],
      next: expect.any(String),
      total: 2,
    })
    const [, next = ''] = /<(.*)>/.exec(first.headers.get('Link') ?? '') ?? []
    expect((await server.get(next)).body).toMatchObject({ items: [{ passport_id: 2 }], next: null, total: 2 })
    const falls = await server.get(pathOf('change', { include: 'credentials,standing' }))
    expect(falls.body.items).toMatchObject([
      { passport_id: 3, credentials: [{ score: 4 }], standing: { rank: 5 }, change: { score: [10, 4] } },
    ])
    const added = await server.get(pathOf('-added'))
    expect(added.body.items).toMatchObject([{ passport_id: 5, change: { score: [null, 7] } }])
    expect(added.body.items[0]).not.toHaveProperty('credentials')
  })
})

function compareNaively(
  { before, after }: Record<'before' | 'after', Map<number, number>>,
  sort: MoversSort,
): (number | null)[][] {
  const all = [...after].map(([id, now]) => ({ id, old: before.get(id) ?? null, now }))
  const changeOf = ({ old, now }: { old: number | null; now: number }) => roundScore(now - (old ?? 0))
  const kept = all.filter((each) =>
    sort === '-added'
      ? each.old === null
      : each.old !== null && changeOf(each) * (sort === 'change' ? -1 : 1) > 0,
  )
  return kept
    .sort((one, other) => Math.abs(changeOf(other)) - Math.abs(changeOf(one)) || one.id - other.id)
    .map(({ id, old, now }) => [id, old, now])
}

test('no further events are read for a client that has disconnected', async () => {
  await using store = await openTestStore('sqlite')
  await save(store, SINCE, [1, 1], [2, 1])
  await save(store, NOON, [1, 2], [2, 3])
  const client = new AbortController()
  let pages = 0
  const listAfterTime: Store['events']['listAfterTime'] = (...args) => {
    pages++
    client.abort()
    return store.events.listAfterTime(...args)
  }
  const reader = {
    index: createLocalIndex(store),
    store: { ...store, events: { ...store.events, listAfterTime } },
  }
  const request = { sort: '-change', since: SINCE, limit: 10, signal: client.signal } as const
  await expect(findMovers(reader, request)).rejects.toBeInstanceOf(ClientGone)
  expect(pages).toBe(1)
})

const server = shareServer(
  async () => {
    const store = await openTestStore('sqlite')
    await save(store, SINCE, [1, 10])
    return store
  },
  (store) => serveTest(store, { now: () => NOON }),
)

test('invalid parameters get 400 with a sentence that says what is accepted', async () => {
  const early = new Date(NOON - 32 * DAY).toISOString()
  const invalid: [path: string, pointer: string, detail: RegExp][] = [
    [
      `${PATH}?sort=-change`,
      '?since',
      /^A list by -change, change, -added needs since: a day or a time at most 31 days ago\.$/,
    ],
    [`${PATH}?since=${since}`, '?since', /^since needs sort to be one of -change, change, -added\.$/],
    [`${PATH}?sort=added&since=${since}`, '?since', /^since needs sort to be one of/],
    [`${PATH}?sort=-change&since=yesterday`, '?since', /^since must be a day such as .* got "yesterday"\.$/],
    [`${PATH}?sort=-change&since=2099-01-01`, '?since', /^since must not be in the future/],
    [`${PATH}?sort=change&since=${early}`, '?since', /^since must be at most 31 days ago, got 2/],
    [
      pathOf('-change', { limit: '51' }),
      '?limit',
      /^limit must be a whole number from 1 to 50 for pages with causes/,
    ],
    [pathOf('-change', { cursor: 'x' }), '?cursor', /^cursor must be the value of "next"/],
    ...['q', 'filter', 'group_by', 'after'].map((name): [string, string, RegExp] => [
      pathOf('-change', { [name]: 'human:true' }),
      `?${name}`,
      new RegExp(`^${name} cannot be combined with sort=-change\\.$`),
    ]),
    [`${PATH}?sort=age`, '?sort', /or with since one of -change, change, -added, got "age"\.$/],
  ]
  for (const [path, pointer, detail] of invalid) {
    const { status, body } = await server.get(path)
    expect([path, status, body.code]).toEqual([path, 400, 'invalid_request'])
    expect(body.errors).toEqual([{ pointer, detail: expect.stringMatching(detail) }])
  }
})

test('a cursor of rises is refused for falls and for another time', async () => {
  await using store = await openTestStore('sqlite')
  await save(store, SINCE, [1, 10], [2, 10])
  await save(store, SINCE + 1, [1, 11], [2, 12])
  await using server = serveTest(store, { now: () => NOON })
  const { body } = await server.get(pathOf('-change', { limit: '1' }))
  for (const path of [
    pathOf('change', { cursor: body.next }),
    pathOf('-change', { cursor: body.next, since: new Date(SINCE - 1).toISOString() }),
  ])
    expect((await server.get(path)).body.detail).toMatch(/^cursor belongs to a list with another .* since/)
})

test('a time before the known history gets before_history', async () => {
  const { status, body } = await server.get(
    `${PATH}?sort=-change&since=${new Date(SINCE - DAY).toISOString()}`,
  )
  expect([status, body.code]).toEqual([404, 'before_history'])
})
