import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readStore } from '../../../src/serve/metrics-server.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { parseExposition, presentFamilies, scrape } from '../../support/http/prometheus.ts'
import { VERSION } from '../../support/program/commands.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { onEngine, onEveryEngine, withEngine } from '../../support/store/engines.ts'
import { createDamage } from '../../support/store/open.ts'
import { NOON, named, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const POSTGRES = {
  database: { engine: 'postgres', url: '' } as const,
  damage: createDamage(),
  onError: () => undefined,
}

const LISTED = 'passportd_requests_total{route="v3_list",status="200",tier="anonymous"}'

/** Sends requests, each on its own connection, until all have succeeded. */
const ask = (url: string, times: number) =>
  Promise.all(
    Array.from({ length: times }, () => until(async () => (await fetch(url, { keepalive: false })).ok)),
  )

withEngine('sqlite', 'METRICS_PORT', (makeDatabase) => {
  test('METRICS_PORT serves only metrics, and the public port never serves metrics', async () => {
    await using here = await workplace(makeDatabase, { records: [named(1, 'Ada')] })
    await using server = await here.serve([], { METRICS_PORT: '0' })
    await ask(`${server.url}/api/v3/passports?q=ada`, 3)
    await until(async () => (await scrape(server)).value(LISTED) === 3)
    const response = await fetch(server.metricsUrl)
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const { families, value } = parseExposition(await response.text())
    expect(value('passportd_request_seconds_count{route="v3_list"}')).toBeGreaterThanOrEqual(3)
    expect(value('passportd_store_up{part="reads"}')).toBe(1)
    expect(value('passportd_store_up{part="writes"}')).toBe(1)
    expect(value(`passportd_info{version="${VERSION}"}`)).toBe(1)
    expect(value('passportd_stale_passports')).toBeDefined()
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value('process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000)
    expect(families.has('passportd_event_loop_delay_seconds')).toBe(true)

    const { origin } = new URL(server.metricsUrl)
    await using without = await here.listen()
    for (const { url } of [server, without]) {
      const response = await fetch(`${url}/metrics`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
    for (const path of ['/', '/health', '/metrics/', '/api/v3/passports']) {
      expect((await fetch(origin + path)).status).toBe(404)
    }
    expect((await fetch(server.metricsUrl, { method: 'POST' })).status).toBe(404)
    for (const Host of ['', 'a b', '[']) {
      expect((await fetch(server.metricsUrl, { headers: { Host } })).status).toBe(200)
    }

    // The snapshot follows the database, and its age grows while the database cannot be read.
    expect(value('passportd_index_passports')).toBe(1)
    await here.call('remove', '1', '--yes')
    await until(async () => (await scrape(server)).value('passportd_index_passports') === 0)
    using database = new Database(here.database)
    database.run('pragma busy_timeout = 10000')
    database.run('alter table event_log rename to gone')
    await until(async () => Number((await scrape(server)).value('passportd_index_age_seconds')) > 2)
  })
})

onEveryEngine('metrics of the store', (open) => {
  test('metrics report stale passports, and the first and last numbers of the event log', async () => {
    await using store = await open([record(1, { stale: true }), record(2)])
    const values = async (...names: string[]) => {
      const { value } = parseExposition(presentFamilies(await readStore(store, POSTGRES)))
      return names.map((name) => value(`passportd_${name}`))
    }
    expect(await values('stale_passports', 'events_last', 'events_first')).toEqual([1, 2, 1])
    const passport = record(3, { stale: true })
    await store.records.save([{ kind: 'passport', passport }], { now: NOON + 2, restore: false })
    await store.events.prune(NOON + 1)
    const names = ['stale_passports', 'events_last', 'events_first', 'events_pruned_total']
    expect(await values(...names)).toEqual([2, 3, 3, 2])
  })

  test('metrics report that the store is unavailable', async () => {
    await using store = await open()
    await store.database.close()
    const { value } = parseExposition(presentFamilies(await readStore(store, POSTGRES)))
    const parts = ['reads', 'writes'].map((part) => value(`passportd_store_up{part="${part}"}`))
    expect(parts).toEqual([0, 0])
    expect(value('passportd_stale_passports')).toBeUndefined()
    expect(value('passportd_events_last')).toBeUndefined()
  })
})

onEngine('sqlite', 'failing metrics', (open) => {
  test.each([
    ['an unexpected error', 'reported', new TypeError('a bug')],
    ['an unavailable store', 'not reported', new ServiceError('unavailable', 'It is unavailable.')],
  ])('when metrics are read, %s is %s', async (_, reported, error) => {
    await using store = await open([record(1)])
    const scoring = { ...store.scoring, countStale: () => Promise.reject(error) }
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const families = await readStore({ ...store, scoring }, { ...POSTGRES, onError })
    const { value } = parseExposition(presentFamilies(families))
    expect(value('passportd_stale_passports')).toBeUndefined()
    expect(errors).toEqual(reported === 'reported' ? [error] : [])
  })
})
