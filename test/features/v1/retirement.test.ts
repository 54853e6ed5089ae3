import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { NO_PLAN, PLAN, retiredBy } from '../../support/features/retire.ts'
import { EXEMPT, pathsOf, SUNSET, serveAt, testRetirement } from '../../support/frozen/retirement.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { listenHere } from '../../support/node-without-threads.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { openTestStore, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { withData } from '../../support/store/open.ts'
import { ada, NOON, PEOPLE } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const HOUR = 3_600_000
const BROWNOUT = { start: NOON, end: NOON + 2 * HOUR }
const OWN = ['/health', '/ready', '/openapi.json', '/deprecation', '/api/v3/passports']

describe('a retirement plan', () => {
  testRetirement({
    version: 'v1',
    golden: '',
    brownout: BROWNOUT,
    sunsetAt: SUNSET,
    successor: 'https://example.com/v2',
  })

  test('a brownout begins and ends at the exact millisecond', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT] })
    const statuses: number[] = []
    for (const now of [NOON - 1, NOON, NOON + HOUR, BROWNOUT.end - 1, BROWNOUT.end]) {
      server.at.now = now
      statuses.push((await server.get('/api/v1/passports')).status)
    }
    expect(statuses).toEqual([200, 410, 410, 410, 200])
  })

  test('during a brownout, exempt keys still work, wrong keys still get 401, and unknown paths still get 404', async () => {
    await using server = await serveAt({ brownouts: [BROWNOUT], exempt: [EXEMPT] })
    const exempt = await makeKey(server.store, 1)
    const other = await makeKey(server.store, 2)
    const ask = async (path: string, init = {}) => (await server.get(path, init)).status
    expect(await ask('/api/v1/passports', exempt.init)).toBe(200)
    expect(await ask('/api/v1/passports', other.init)).toBe(410)
    expect(await ask('/api/v1/passports', { headers: { 'X-API-KEY': 'wrong' } })).toBe(401)
    expect(await ask('/api/v1/nothing')).toBe(404)
    expect(await ask('/api/v1/passports', { method: 'POST' })).toBe(405)
  })

  test('the retirement of V1 changes neither preflights nor paths outside V1', async () => {
    await using server = await serveAt({ sunsetAt: SUNSET, brownouts: [BROWNOUT] })
    for (const now of [NOON, SUNSET]) {
      server.at.now = now
      for (const path of pathsOf('v1'))
        expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
      for (const path of OWN) expect([path, (await server.get(path)).status]).toEqual([path, 200])
      expect((await server.get('/nowhere')).status).toBe(404)
    }
  })
})

test('if a response header contains a line break, an error is logged, and the client gets 500 in JSON', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const plan = { brownouts: [], exempt: [], successor: 'https://example.com\r\nSet-Cookie: a' }
  await using server = serveTest(
    store,
    retiredBy(() => plan),
  )
  const response = await fetch(`${server.url}api/v1/passports/7`)
  expect(response.status).toBe(500)
  expect(response.headers.has('Set-Cookie')).toBe(false)
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(await response.json()).toMatchObject({ code: 'internal' })
  expect(server.errors.length).toBeGreaterThan(0)
})

// These tests run concurrently, because they wait for nodes to read the plan, once a second.
withEveryEngine('retire', (makeDatabase) => {
  test.concurrent('two running nodes apply a change of the retirement plan, and its reversal, without a restart', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using one = await here.listen()
    await using other = await here.listen()
    const see = ({ url }: { url: string }) =>
      Promise.all([
        fetch(`${url}/api/v1/passports/7`).then(({ status }) => status),
        fetch(`${url}/deprecation`).then(async (page) => (await page.text()).includes('was removed')),
      ])
    const bothSee = async (status: number, removed: boolean) =>
      Bun.deepEquals(await Promise.all([see(one), see(other)]), [
        [status, removed],
        [status, removed],
      ])
    expect(await bothSee(200, false)).toBe(true)

    const set = await here.call('retire', 'set', '--sunset', '2025-12-31', '--yes')
    expect(set).toMatchObject({ code: 0, err: 'Every node applies this plan within seconds.\n' })
    await until(() => bothSee(410, true))

    expect((await here.call('retire', 'set', '--sunset', 'none')).code).toBe(0)
    await until(() => bothSee(200, false))
  })
})

withEngine('sqlite', 'a node', (makeDatabase) => {
  test.concurrent('a node uses the last known plan while the database is unavailable', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using store = await here.open()
    await store.data(PLAN).save({ ...NO_PLAN, sunsetAt: NOON })
    let reads = 0
    let away = false
    const adapt = (store: Store): Store =>
      withData(store, PLAN, {
        async find() {
          reads++
          if (away) throw new ServiceError('unavailable', 'The store is unavailable.')
          return store.data(PLAN).find()
        },
      })
    await using node = await listenHere(here.env, { adapt })
    const status = async () => (await fetch(`${node.url}/api/v1/passports/7`)).status
    expect(await status()).toBe(410)
    away = true
    await store.data(PLAN).save(NO_PLAN)
    const before = reads
    await until(() => reads >= before + 2)
    expect(await status()).toBe(410)
    away = false
    await until(async () => (await status()) === 200)
  })

  test.concurrent('with DEPRECATED_AT=none, V1 responses have no Deprecation header unless the plan has a date', async () => {
    await using here = await workplace(makeDatabase, { records: [ada] })
    await using store = await here.open()
    await using node = await listenHere({ ...here.env, DEPRECATED_AT: 'none' })
    const deprecation = async () => (await fetch(`${node.url}/api/v1/passports/7`)).headers.get('Deprecation')
    expect(await deprecation()).toBeNull()
    const page = await (await fetch(`${node.url}/deprecation`)).text()
    expect(page).toContain('<h1>The V1 passport API is not deprecated</h1>')
    await using other = await listenHere({ ...here.env, DEPRECATED_AT: '2025-06-01' })
    const dated = await fetch(`${other.url}/api/v1/passports/7`)
    expect(dated.headers.get('Deprecation')).toBe('@1748736000')
    await store.data(PLAN).save({ ...NO_PLAN, deprecatedAt: NOON })
    await until(async () => (await deprecation()) === `@${NOON / 1000}`)
  })
})
