import { expect, test } from 'bun:test'
import { Passport } from '../../../src/core/passport/wire-schemas.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { copy, NONE } from '../../support/mirror/mirror.ts'
import { type OddSource, plain, serveOdd } from '../../support/mirror/odd-source.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET } from '../../support/store/records.ts'

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
const passports = (ids: readonly unknown[]) => ids.map((passport_id) => ({ passport_id }))

/** Copies the source into an empty store. */
async function copyOdd(given: OddSource) {
  await using source = serveOdd(given)
  await using target = await openTestStore('sqlite')
  const { report, failures } = await copy(target, source.url)
  const ids = (await target.records.list(-1, 100)).map(({ id }) => id)
  return { report, failures, ids, paths: source.paths }
}

const PAGES: unknown[][] = [[1, 2], [3, 4], [5]]
/** A list of five passports on three pages, with this pagination. */
const paged =
  (pagination?: object, pages = PAGES) =>
  (page: number) => ({
    passports: passports(pages[page - 1] ?? []),
    pagination,
  })

test.each<[string, OddSource['list']]>([
  ['says nothing about pages', paged()],
  ['has no page after the last', (page) => (page > 3 ? 404 : paged()(page))],
  ['lists all passports on every page', () => ({ passports: passports([1, 2, 3, 4, 5]) })],
  ['never reaches its last_page', (page) => paged({ last_page: page + 1 })(Math.min(page, 3))],
  ['sends counts and ids as text', paged({ last_page: '3', total: '5' }, [['1', '2'], ['3', '4'], ['5']])],
  ['has wrong counts', paged({ last_page: 1e9, total: -1 })],
  ['has null as counts', paged({ last_page: null, total: null })],
  [
    'names passports more than once',
    () => ({
      passports: passports([1, 1, 2, 2, 3, 4, 5, 1]),
      pagination: { last_page: 1, total: 8 },
    }),
  ],
])('a source that %s is copied completely, each passport once', async (_, list) => {
  const { report, ids, paths } = await copyOdd({ list })
  expect({ report, ids }).toEqual({ report: { ...NONE, copied: 5 }, ids: [1, 2, 3, 4, 5] })
  expect(paths.filter((path) => !path.includes('?page='))).toHaveLength(10)
  expect(paths.length).toBeLessThan(20)
})

test.each<[string, (order: number[], page: number) => void]>([
  ['one passport moved up', (order, page) => page === 1 && order.unshift(...order.splice(5, 1))],
  ['one passport was added', (order, page) => page === 1 && order.unshift(9)],
  ['one passport was removed', (order, page) => page === 1 && order.splice(0, 1)],
  ['all moved', (order) => order.reverse()],
])('a list in which %s during the run is copied completely', async (_, shift) => {
  const order = [1, 2, 3, 4, 5, 6, 7, 8]
  let isFirst = true
  const { ids } = await copyOdd({
    list(page) {
      const ids = order.slice((page - 1) * 3, page * 3)
      const last_page = Math.ceil(order.length / 3)
      const pagination = { current_page: page, last_page, total: order.length }
      if (isFirst) shift(order, page)
      if (page >= last_page) isFirst = false
      return { passports: passports(ids), pagination }
    },
  })
  expect(ids).toEqual(expect.arrayContaining([...order]))
})

test('each invalid id in the list is reported once, and the other passports are copied', async () => {
  const list = () => ({ passports: [...passports([1, -5, 1.5, 1e300, 'x', '', -5, 2]), null, {}] })
  const { report, failures, ids } = await copyOdd({ list })
  expect({ report, ids }).toEqual({ report: { ...NONE, copied: 2, failed: 6 }, ids: [1, 2] })
  const reason = 'the list has this passport_id, but ids are whole numbers from 0'
  expect(failures).toEqual(['-5', '1.5', '1e+300', '"x"', '""', 'none'].map((id) => `${id}: ${reason}`))
})

test('a listed passport is counted as gone if the source responds with 404 or with another passport', async () => {
  const { report, ids } = await copyOdd({
    list: () => ({ passports: passports([1, 2, 3]) }),
    passport: (id) => (id === 2 ? 404 : id === 3 ? plain(1) : plain(id)),
    credentials: () => 404,
  })
  expect({ report, ids }).toEqual({ report: { ...NONE, copied: 1, gone: 2 }, ids: [1] })
})

test('records with missing fields, nulls, numbers as text and unknown fields are accepted', async () => {
  const bodies: Record<number, object> = {
    1: {},
    2: Object.fromEntries(Object.keys(Passport.properties).map((name) => [name, null])),
    3: {
      passport_id: '3',
      score: '12.5',
      activity_score: ' 12.5',
      skills_score: '',
      connections_count: '4',
      nominations_received_count: '3',
      passport_profile: { display_name: 7, bio: null, tags: ['a', null, 3], mood: 'good' },
      passport_socials: [{ source: 'lens', follower_count: 1842, following_count: null, rank: 1 }],
      verified_wallets: [null, ADA_WALLET.toUpperCase().replace('X', 'x')],
      nickname: 'x',
    },
    4: { removed: true, merged_into: 1, rules: 'x', data_points: 'none', credentials: 5 },
  }
  const given = [
    { id: 'a', type: 'ens', score: '12.5', max_score: '20', value: null, color: 'red', derived: true },
    { type: 'lens', category: null, name: null, score: 0, earned_at: null, last_calculated_at: null },
  ]
  await using source = serveOdd({
    list: () => ({ passports: passports([1, 2, 3, 4]) }),
    passport: (id) => ({ passport: bodies[id] }),
    credentials: (id) => ({ passport_credentials: id === 3 ? given : id === 2 ? null : [] }),
  })
  await using target = await openTestStore('sqlite')
  const { report, failures } = await copy(target, source.url)
  expect(failures).toEqual([])
  expect(report).toEqual({ ...NONE, copied: 4 })
  expect(await target.passports.find({ wallet: ADA_WALLET })).toMatchObject({
    id: 3,
    scores: { total: 12.5, activity: 12.5, identity: 0, skills: 0 },
    connections: 4,
    profile: { displayName: '7', bio: '', tags: ['a', '3'] },
    socials: [{ source: 'lens', followers: '1842', following: '' }],
    verifiedWallets: [ADA_WALLET],
  })
  expect((await target.passports.findWithCredentials({ id: 3 }))?.credentials).toMatchObject([
    { id: 'a', score: 12.5, maxScore: 20, value: '' },
    { name: 'lens', score: 0 },
  ])
  expect(await target.passports.find({ id: 4 })).toMatchObject({ id: 4, merged: false })
  await everyResponse(target)
})

test.each<[string, unknown, string]>([
  ['no passport', {}, 'passport is missing from the response'],
  [
    'tags above the limit',
    { passport: { passport_profile: { tags: Array(2000).fill('x'.repeat(1904)) } } },
    'passport_profile.tags must be at most 6,000 bytes as JSON, got 3,814,001 bytes',
  ],
  ['a bad date', { passport: { last_calculated_at: 'May' } }, 'last_calculated_at must be a date such as'],
  ['a field of great depth', `{"passport":{"score":${deep}}}`, 'score must be a number or null, got […]'],
  [
    'an unknown field of great depth',
    `{"passport":{"passport_profile":{"x":${deep}}}}`,
    'passport is nested too deeply',
  ],
])('a response with %s is reported with its id, and the others are copied', async (_, body, reason) => {
  const { report, failures } = await copyOdd({
    list: () => ({ passports: passports([1, 2, 3]) }),
    passport: (id) => (id === 2 ? body : plain(id)),
  })
  expect(report).toEqual({ ...NONE, copied: 2, failed: 1 })
  expect(failures).toEqual([expect.stringContaining(`2: ${reason}`)])
})

test.each<[string, unknown]>([
  ['something else', { hello: 'world' }],
  ['null', null],
  ['a bare list', []],
  ['404', 404],
])('a run fails if the source responds with %s instead of a list', async (_, body) => {
  await expect(copyOdd({ list: () => body })).rejects.toThrow('has no list of passports')
})
