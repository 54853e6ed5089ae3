import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workplace } from '../../support/cli-sandbox.ts'
import { scrape } from '../../support/http/prometheus.ts'
import { serveTest } from '../../support/http/server.ts'
import { subscribe } from '../../support/http/webhook-receiver.ts'
import { hasPrograms } from '../../support/programs.ts'
import { databaseMaker, onEngine } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

const DEPLOY = join(import.meta.dir, '../../../deploy')
const ALERTS = join(DEPLOY, 'prometheus-alerts.yaml')

type Rule = { alert: string; expr: string; annotations: { summary: string } }
const readRules = () =>
  (Bun.YAML.parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  )

/** The names of our metrics in PromQL, without the suffixes of histograms. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b(?:passportd|process)_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

const expressions: string[] = JSON.parse(
  readFileSync(join(DEPLOY, 'grafana-dashboard.json'), 'utf8'),
).panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr))

function expectAccepted(args: readonly string[], stdin = ''): void {
  const { exitCode, stderr } = Bun.spawnSync(['promtool', ...args], { stdin: Buffer.from(stdin) })
  expect([exitCode, `${stderr}`]).toEqual([0, ''])
}

test('metrics describe the whole node, and the dashboard shows every metric', async () => {
  await using here = await workplace(databaseMaker('sqlite'), {
    records: [named(1, 'Ada'), named(2, 'Bob')],
  })
  await here.look((store) => subscribe(store, 'https://example.com'))
  const settings = { METRICS_PORT: '0', BACKUP_DIR: here.path('backups') }
  await using server = await here.serve(['--workers', '2'], settings)
  const read = async (name: string) => (await scrape(server)).value(name)
  // Waits for the first metrics of the workers and of the backup.
  await until(async () => (await read('passportd_requests_in_progress')) !== undefined)
  await until(async () => (await read('passportd_backup_failures_total')) !== undefined)
  const delivered = 'passportd_webhook_deliveries_total{result="delivered"}'
  await until(async () => (await read(delivered)) !== undefined)
  expect(await read('passportd_requests_in_progress')).toBe(0)
  expect(await read('passportd_index_passports')).toBe(2)
  expect(await read('passportd_index_age_seconds')).toBeLessThan(60)

  const { families: names, text } = await scrape(server)
  if (hasPrograms('promtool')) expectAccepted(['check', 'metrics'], text)
  const rules = readRules()
  const used = rules.flatMap(({ expr }) => metricsIn(expr))
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((name) => !names.has(name))).toEqual([])
  expect([...new Set(expressions.flatMap(metricsIn))].sort()).toEqual([...names.keys()].sort())
})

onEngine('sqlite', 'requests in progress', (open) => {
  test('a request counts as in progress until the server has responded', async () => {
    await using store = await open([named(1, 'Ada')])
    const found = Promise.withResolvers<void>()
    const findByKeys: typeof store.passports.findByKeys = async (...args) => {
      await found.promise
      return store.passports.findByKeys(...args)
    }
    const waiting = { ...store, passports: { ...store.passports, findByKeys } }
    await using server = serveTest(waiting)
    const response = server.get('/api/v3/passports/1')
    await until(() => server.requestsInProgress() === 1)
    found.resolve()
    expect((await response).status).toBe(200)
    expect(server.requestsInProgress()).toBe(0)
  })
})

test('the dashboard shows every metric of docs/operate.md and no other', () => {
  const page = readFileSync(join(DEPLOY, '../docs/operate.md'), 'utf8')
  const documented = [...page.matchAll(/^\| `((?:passportd|process)_\w+)`/gm)].map(([, name = '']) => name)
  expect(new Set(expressions.flatMap(metricsIn))).toEqual(new Set(documented))
})

test('every alert has a summary and is listed in docs/operate.md', () => {
  const page = readFileSync(join(DEPLOY, '../docs/operate.md'), 'utf8')
  const rules = readRules()
  expect(rules.length).toBeGreaterThan(5)
  expect(rules.filter(({ annotations }) => !annotations?.summary)).toEqual([])
  expect(rules.filter(({ alert }) => !page.includes(`\`${alert}\``)).map(({ alert }) => alert)).toEqual([])
})

test.if(hasPrograms('promtool'))(
  'Prometheus accepts the alerts, and the expressions of the dashboard',
  () => {
    using folder = tempFolder()
    const path = join(folder.path, 'dashboard.yaml')
    const rules = expressions.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }))
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expectAccepted(['check', 'rules', path, ALERTS])
  },
)

const RULE_TESTS = join(import.meta.dir, 'prometheus-alerts.test.yaml')

type RuleTests = { tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] }

test('prometheus-alerts.test.yaml has a test in which each alert fires', () => {
  const { tests } = Bun.YAML.parse(readFileSync(RULE_TESTS, 'utf8')) as RuleTests
  const fired = tests.flatMap(({ alert_rule_test }) =>
    alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
  )
  expect(new Set(fired)).toEqual(new Set(readRules().map(({ alert }) => alert)))
})

test.if(hasPrograms('promtool'))('in Prometheus each alert fires when it should, and not otherwise', () =>
  expectAccepted(['test', 'rules', RULE_TESTS]),
)
