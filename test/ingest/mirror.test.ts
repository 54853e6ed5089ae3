import { describe, expect, test } from 'bun:test'
import type { PassportRecord } from '../../src/domain/record.ts'
import { Passport } from '../../src/domain/v1/schemas.ts'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { type MirrorOptions, mirror } from '../../src/ingest/mirror.ts'
import { SourceError } from '../../src/ingest/throttled-client.ts'
import type { Store } from '../../src/store/store.ts'
import { everyAnswer } from '../support/http/every-response.ts'
import { faultyProxy, type Seen } from '../support/http/faulty-proxy.ts'
import { serveTest } from '../support/http/server.ts'
import { until } from '../support/processes.ts'
import { type EngineName, onEveryEngine, openTestStore, saveRecords } from '../support/store/engines.ts'
import { ADA_WALLET, ada, credential, NOON, record } from '../support/store/records.ts'

/** More than one list page; one passport has every field. */
const CROWD = [...inventPeople().slice(0, 260), { ...ada, id: 2007 }]
const SOME = CROWD.slice(-60)
const FEW = CROWD.slice(-5)

const NONE = { copied: 0, unchanged: 0, gone: 0, removed: 0, failed: 0 }

async function copy(store: Store, base: string, given: Partial<MirrorOptions> = {}) {
  let time = NOON
  const failures: string[] = []
  const progress: [number, number][] = []
  const report = await mirror({
    store,
    base,
    key: undefined,
    userAgent: 'test',
    rate: 1000,
    concurrency: 8,
    restore: false,
    rescore: false,
    rawKindOf: () => undefined,
    fetch: (url, init) => fetch(url, init),
    async sleep(milliseconds) {
      await new Promise(setImmediate)
      time += Math.ceil(milliseconds)
    },
    now: () => time,
    ticks: () => time,
    random: () => 0,
    signal: new AbortController().signal,
    onFailure: (id, reason) => failures.push(`${id}: ${reason}`),
    onProgress: (...at) => progress.push(at),
    ...given,
  })
  return { report, failures, progress }
}

const ofPassports = (seen: readonly Seen[]) => seen.filter(({ path }) => !path.includes('?page='))

async function serveSource(
  records: readonly PassportRecord[],
  { engine = 'sqlite', ...faults }: Parameters<typeof faultyProxy>[1] & { engine?: EngineName } = {},
) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openTestStore(engine, records))
  const server = started.use(serveTest(store))
  const proxy = started.use(await faultyProxy(server.url, faults))
  const running = started.move()
  return { ...proxy, store, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

onEveryEngine('mirror', (open, engine) => {
  test('a copy serves the same responses as its source', async () => {
    await using source = await serveSource(CROWD, { engine })
    await using target = await open()
    const { report, progress } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: CROWD.length })
    expect(await everyAnswer(target)).toEqual(await everyAnswer(source.store))
    expect(progress).toEqual(CROWD.map((_, at) => [at + 1, CROWD.length]))
  }, 30_000)

  test('a second run copies only changes, with conditional requests', async () => {
    await using source = await serveSource(FEW, { engine })
    await using target = await open()
    await copy(target, source.url)
    const [one, other] = FEW as [PassportRecord, PassportRecord]
    const profile = { displayName: 'New', bio: '', location: '', tags: [] }
    const credentials = [credential('new', { score: 3 })]
    await saveRecords(source.store, [
      { ...one, profile },
      { ...other, credentials },
    ])
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: 2, unchanged: 3 })
    expect(await everyAnswer(target)).toEqual(await everyAnswer(source.store))
    source.seen.length = 0
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 5 })
    const asked = ofPassports(source.seen)
    expect(asked.map(({ status }) => status)).toEqual(Array(10).fill(304))
    expect(asked.every(({ headers }) => headers.has('If-None-Match'))).toBe(true)
  })

  test('passports that the source removed or merged are reported as gone and stay stored', async () => {
    await using source = await serveSource(FEW, { engine })
    await using target = await open()
    await copy(target, source.url)
    await source.store.passports.remove(2007, NOON)
    await source.store.passports.merge(259, 260)
    expect((await copy(target, source.url)).report).toMatchObject({ gone: 2, failed: 0 })
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 3, gone: 2 })
    for (const id of [259, 2007]) expect(await target.passports.find({ id })).toMatchObject({ id })
  })

  test('a passport that was removed here is copied again only with the restore option', async () => {
    await using source = await serveSource(FEW, { engine })
    await using target = await open()
    await copy(target, source.url)
    await target.passports.remove(2007, NOON)
    for (let runs = 0; runs < 2; runs++) {
      expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 4, removed: 1 })
    }
    expect(await target.passports.find({ id: 2007 })).toBeUndefined()
    const { report } = await copy(target, source.url, { restore: true })
    expect(report).toEqual({ ...NONE, copied: 1, unchanged: 4 })
    expect(await everyAnswer(target)).toEqual(await everyAnswer(source.store))
  })

  test('a wallet may move from one passport to another', async () => {
    const [high, low] = [record(1, { scores: { total: 9 } }), record(2, { mainWallet: ADA_WALLET })]
    await using source = await serveSource([high, low], { engine })
    await using target = await open()
    await copy(target, source.url)
    await saveRecords(source.store, [record(2)])
    await saveRecords(source.store, [{ ...high, mainWallet: ADA_WALLET }])
    const { report } = await copy(target, source.url, { concurrency: 1 })
    expect(report).toEqual({ ...NONE, copied: 2 })
    expect(await target.passports.find({ wallet: ADA_WALLET })).toMatchObject({ id: 1 })
  })

  test('a passport with a wallet that another stored passport has is reported as failed', async () => {
    await using source = await serveSource(FEW, { engine })
    await using target = await open([record(5000, { mainWallet: ADA_WALLET })])
    const { report, failures } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: 4, failed: 1 })
    expect(failures).toEqual([`2007: main_wallet wallet ${ADA_WALLET} belongs to passport 5000`])
  })
})

describe('a source that fails', () => {
  test('at random is copied completely', async () => {
    await using source = await serveSource(SOME, { seed: 1, rate: 0.4 })
    await using target = await openTestStore('sqlite')
    const { report } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: SOME.length })
    expect(await everyAnswer(target)).toEqual(await everyAnswer(source.store))
    for (const count of Object.values(source.faults)) expect(count).toBeGreaterThan(0)
    const { report: again } = await copy(target, source.url)
    expect(again).toEqual({ ...NONE, unchanged: SOME.length })
  })

  test('for one passport is reported with its id, the others are copied, and the next run copies it', async () => {
    await using source = await serveSource(FEW)
    await using target = await openTestStore('sqlite')
    const broken = async (url: string, init: RequestInit) =>
      url.endsWith('/passports/2007') ? new Response('', { status: 500 }) : fetch(url, init)
    const { report, failures } = await copy(target, source.url, { fetch: broken })
    expect(report).toEqual({ ...NONE, copied: 4, failed: 1 })
    expect(failures).toEqual([
      '2007: /api/v1/passports/2007: no valid response after 8 attempts, the last: status 500',
    ])
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: 1, unchanged: 4 })
  })

  test('with 401 ends the run, and no further request is sent', async () => {
    await using source = await serveSource(CROWD)
    await using target = await openTestStore('sqlite')
    let sent = 0
    let pending = 0
    const refusing = async (url: string, init: RequestInit) => {
      if (++sent > 20) return new Response('', { status: 401 })
      pending++
      return fetch(url, init).finally(() => pending--)
    }
    const run = copy(target, source.url, { fetch: refusing })
    expect(await run.catch((error) => error)).toBeInstanceOf(SourceError)
    await until(() => pending === 0)
    expect(sent).toBeLessThanOrEqual(20 + 8)
  })

  test('an interrupted run continues where it stopped', async () => {
    await using source = await serveSource(SOME)
    await using target = await openTestStore('sqlite')
    const controller = new AbortController()
    const onProgress = (done: number) => done === 20 && controller.abort()
    const stopped = copy(target, source.url, { signal: controller.signal, onProgress })
    expect(await stopped.catch((error) => error.name)).toBe('AbortError')
    const { report } = await copy(target, source.url, { userAgent: 'second' })
    expect(report.copied).toBeLessThanOrEqual(SOME.length - 20)
    const asked = ofPassports(source.seen).filter(({ headers }) => headers.get('User-Agent') === 'second')
    // A passport that was saved but not yet recorded as seen is requested again.
    expect(asked.length).toBeGreaterThanOrEqual(2 * report.copied)
    expect(asked.length).toBeLessThanOrEqual(2 * (SOME.length - 20))
    expect(await everyAnswer(target)).toEqual(await everyAnswer(source.store))
  })
})

describe('a source that is another program', () => {
  type Odd = {
    list: (page: number) => unknown
    passport?: (id: number) => unknown
    credentials?: (id: number) => unknown
  }

  function serveOdd({ list, passport = plain, credentials = () => ({ passport_credentials: [] }) }: Odd) {
    const paths: string[] = []
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const url = new URL(request.url)
        paths.push(url.pathname + url.search)
        const id = Number(url.searchParams.get('passport_id') ?? url.pathname.split('/')[4])
        const body = url.pathname.endsWith('/passports')
          ? list(Number(url.searchParams.get('page')))
          : url.pathname.endsWith('/passport_credentials')
            ? credentials(id)
            : passport(id)
        if (typeof body === 'string') return new Response(body)
        return typeof body === 'number' ? new Response('', { status: body }) : Response.json(body)
      },
    })
    return { paths, url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
  }

  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const plain = (id: number) => ({ passport: { passport_id: id } })
  const passports = (ids: readonly unknown[]) => ids.map((passport_id) => ({ passport_id }))

  async function copiedIds(store: Store): Promise<number[]> {
    return (await store.records.list(-1, 100)).map(({ id }) => id)
  }

  const PAGES: unknown[][] = [[1, 2], [3, 4], [5]]
  /** A list of five passports on three pages, with this pagination. */
  const paged =
    (pagination?: object, pages = PAGES) =>
    (page: number) => ({
      passports: passports(pages[page - 1] ?? []),
      pagination,
    })

  test.each<[string, Odd['list']]>([
    ['sends no pagination', paged()],
    ['responds 404 after the last page', (page) => (page > 3 ? 404 : paged()(page))],
    ['repeats all on every page', () => ({ passports: passports([1, 2, 3, 4, 5]) })],
    ['always announces another page', (page) => paged({ last_page: page + 1 })(Math.min(page, 3))],
    ['sends numbers as text', paged({ last_page: '3', total: '5' }, [['1', '2'], ['3', '4'], ['5']])],
    ['sends wrong totals', paged({ last_page: 1e9, total: -1 })],
    ['sends null totals', paged({ last_page: null, total: null })],
    [
      'lists passports twice, and other items',
      () => ({
        passports: [...passports([1, 1, 2, 2, 3, 4, 5, 1, null, -1, 1.5, 'x', 1e300]), null, 7, {}],
        pagination: { last_page: 1, total: 16 },
      }),
    ],
  ])('that %s is copied completely, each passport once', async (_, list) => {
    await using source = serveOdd({ list })
    await using target = await openTestStore('sqlite')
    const { report } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: 5 })
    expect(await copiedIds(target)).toEqual([1, 2, 3, 4, 5])
    expect(source.paths.filter((path) => !path.includes('?page='))).toHaveLength(10)
    expect(source.paths.length).toBeLessThan(20)
  })

  test.each<[string, (order: number[], page: number) => void]>([
    ['a passport moves up', (order, page) => page === 1 && order.unshift(...order.splice(5, 1))],
    ['a passport is added', (order, page) => page === 1 && order.unshift(9)],
    ['a passport is removed', (order, page) => page === 1 && order.splice(0, 1)],
    ['all passports move', (order) => order.reverse()],
  ])('a list in which %s during the run is copied completely', async (_, shift) => {
    const order = [1, 2, 3, 4, 5, 6, 7, 8]
    let isFirst = true
    await using source = serveOdd({
      list(page) {
        const ids = order.slice((page - 1) * 3, page * 3)
        const last_page = Math.ceil(order.length / 3)
        const pagination = { current_page: page, last_page, total: order.length }
        if (isFirst) shift(order, page)
        if (page >= last_page) isFirst = false
        return { passports: passports(ids), pagination }
      },
    })
    await using target = await openTestStore('sqlite')
    await copy(target, source.url)
    expect(await copiedIds(target)).toEqual(expect.arrayContaining([...order]))
  })

  test('passports that vanish during the run are counted as gone', async () => {
    await using source = serveOdd({
      list: () => ({ passports: passports([1, 2, 3]) }),
      passport: (id) => (id === 2 ? 404 : id === 3 ? plain(1) : plain(id)),
      credentials: () => 404,
    })
    await using target = await openTestStore('sqlite')
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: 1, gone: 2 })
    expect(await copiedIds(target)).toEqual([1])
  })

  test('missing fields, nulls, numbers as text and unknown fields are accepted', async () => {
    const bodies: Record<number, object> = {
      1: {},
      2: Object.fromEntries(Object.keys(Passport.properties).map((name) => [name, null])),
      3: {
        passport_id: '3',
        score: '12.5',
        activity_score: ' 12.5',
        skills_score: '',
        connections_count: '4',
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
    expect(await target.credentials.list(3)).toMatchObject([
      { id: 'a', score: 12.5, maxScore: 20, value: '' },
      { name: 'lens', score: 0 },
    ])
    expect(await target.passports.find({ id: 4 })).toMatchObject({ id: 4, merged: false })
    await everyAnswer(target)
  })

  test.each<[string, unknown, string]>([
    ['no passport', {}, 'passport is missing from the response'],
    ['a list', [], 'passport is missing from the response'],
    ['text as score', { passport: { score: 'high' } }, 'score must be a number or null, got "high"'],
    [
      'an invalid date',
      { passport: { last_calculated_at: 'May' } },
      'last_calculated_at must be a date such as',
    ],
    ['a deeply nested field', `{"passport":{"score":${deep}}}`, 'score must be a number or null, got […]'],
    [
      'a deeply nested unknown field',
      `{"passport":{"passport_profile":{"x":${deep}}}}`,
      'passport is nested too deeply',
    ],
    ['a number above the limit', { passport: { score: 1e300 } }, 'score must'],
    ['an unsafe integer', { passport: { passport_id: 2, connections_count: 2 ** 60 } }, 'connections_count'],
  ])('a response with %s is reported with its id, and the others are copied', async (_, body, reason) => {
    await using source = serveOdd({
      list: () => ({ passports: passports([1, 2, 3]) }),
      passport: (id) => (id === 2 ? body : plain(id)),
    })
    await using target = await openTestStore('sqlite')
    const { report, failures } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: 2, failed: 1 })
    expect(failures).toEqual([expect.stringContaining(`2: ${reason}`)])
  })

  test.each<[string, unknown]>([
    ['something else', { hello: 'world' }],
    ['null', null],
    ['a bare list', []],
    ['404', 404],
  ])('a source that responds with %s has no list', async (_, body) => {
    await using source = serveOdd({ list: () => body })
    await using target = await openTestStore('sqlite')
    expect(copy(target, source.url)).rejects.toThrow('has no list of passports')
  })
})
