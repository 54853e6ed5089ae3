import { expect, test } from 'bun:test'
import type { Store } from '../../../../src/core/store/store.ts'
import { type Facets, fromRow } from '../../../support/index/facets.ts'
import { foldName } from '../../../support/program/text.ts'
import { onBothEngines, saveRecords } from '../../../support/store/engines.ts'
import { execute } from '../../../support/store/execute-sql.ts'
import { ada, credential, grace, graceOld, NOON, record } from '../../../support/store/records.ts'

const fold = (values: readonly string[]) => [...new Set(values.map(foldName).filter((value) => value !== ''))]

const SOCIAL = ada.socials[0] as (typeof ada.socials)[number]

/** Credentials are stored in any order. */
const sorted = ({ points, type, ...facets }: Facets): Facets => ({
  ...facets,
  points: points.toSorted(),
  type: type.toSorted(),
})

const list = async (store: Store, ids: readonly number[]) =>
  (await store.listing.listRows(ids))
    .map((each) => sorted(fromRow(each)))
    .sort((one, other) => one.id - other.id)

onBothEngines('facets', (open) => {
  test('facets are in lower case without accents, have no duplicates, and omit types of credentials without points', async () => {
    await using store = await open([
      grace,
      graceOld,
      record(2, {
        human: true,
        profile: { location: ' São  Paulo', tags: ['Math', 'math', ''] },
        credentials: [
          credential('1', { type: 'Git "Hub"', name: 'a "score":9,"name":"x","type":"y"' }),
          credential('2', { type: 'ens', score: 0 }),
          credential('3', { type: 'git "hub"', score: 2.5, name: '\\"' }),
        ],
      }),
      { ...ada, rules: '2026+AB' },
    ])
    const [first, second, third, ...others] = await list(store, [2, 3, 7, 900, 5000])
    expect(others).toEqual([])
    expect(first).toMatchObject({
      human: ['true'],
      location: ['sao paulo'],
      tag: ['math'],
      type: ['git "hub"'],
      points: ['1 git "hub"', '2.5 git "hub"'],
      source: [],
      rules: [],
    })
    expect(second).toMatchObject({ id: 3, name: 'grace hopper', score: 42.5, human: ['false'] })
    expect(third).toMatchObject({ source: ['lens'], rules: ['2026+ab'] })
    expect(await store.listing.listRows([])).toEqual([])
  })

  test('facets keep quotes, backslashes and long lists', async () => {
    const odd = ['a\\', 'b"', '\\"', '"type":"c"', '"score":0,', 'd\\\\', '\u0001', 'e,"source":"f"']
    const long = Array.from({ length: 100 }, (_, at) => `tag ${at}`)
    await using store = await open([
      record(1, {
        profile: { tags: odd },
        socials: odd.map((source) => ({ ...SOCIAL, source, bio: source })),
        credentials: odd.map((type, at) =>
          credential(`${at}`, { type, name: type, value: type, score: 1 + at }),
        ),
      }),
      record(2, {
        profile: { tags: long },
        credentials: [
          credential('1', { type: 'half', score: 0.5 }),
          credential('2', { type: 'none', score: 0 }),
        ],
      }),
    ])
    const [first, second] = await list(store, [1, 2])
    const expected = fold(odd).toSorted()
    for (const values of [first?.tag, first?.source, first?.type])
      expect(values?.toSorted()).toEqual(expected)
    expect(first?.points?.toSorted()).toEqual(odd.map((type, at) => `${1 + at} ${foldName(type)}`).toSorted())
    expect(second).toMatchObject({ tag: long, type: ['half'], points: ['0.5 half'] })
  })

  const before = record(1, {
    scores: { total: 1, identity: 1 },
    credentials: [credential('1')],
    rules: 'one',
  })
  test.each([
    ['credentials', { credentials: [credential('1', { type: 'github' })] }, { type: ['github'] }],
    ['rule set', { rules: 'other' }, { rules: ['other'] }],
  ])('a change of the %s alone is listed as a change of the passport, once', async (_, change, facets) => {
    await using store = await open([before, record(2)])
    let { cursor } = await store.listing.readEnd()
    await saveRecords(store, [{ ...before, ...change }])
    expect((await store.listing.readChanges(cursor))?.ids).toEqual([1])
    expect((await list(store, [1]))[0]).toMatchObject(facets)
    cursor = (await store.listing.readEnd()).cursor
    await saveRecords(store, [{ ...before, ...change }])
    expect(await store.listing.readChanges(cursor)).toMatchObject({ ids: [] })
  })

  test('the changes since a cursor are unknown after very many events, or if the log does not have it', async () => {
    await using store = await open([record(1), record(2)])
    const { readEnd, readChanges } = store.listing
    const { cursor } = await readEnd()
    // After a failover that lost transactions, another event can have the number.
    expect(await readChanges(cursor.replace(/:.*/, `:${NOON} 3`))).toBeUndefined()
    await store.passports.remove(1, NOON)
    expect(await readChanges(cursor)).toMatchObject({ ids: [1] })
    await execute(store.url, 'update event_log set last = last + 100000')
    expect(await readChanges(cursor)).toBeUndefined()
    await execute(store.url, 'update event_log set first = last')
    const { cursor: later } = await readEnd()
    expect(await readChanges(later)).toEqual({ cursor: later, ids: [] })
    const unknown = [cursor, later.replace(/^\w+/, 'other'), later.replace(/-\d+/, '-99999'), 'damaged']
    expect(await Promise.all(unknown.map(readChanges))).toEqual(unknown.map(() => undefined))
  })
})
