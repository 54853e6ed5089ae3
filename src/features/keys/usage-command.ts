import { CommandError } from '../../core/basics/errors.ts'
import { count, number } from '../../core/basics/text/counts-and-sizes.ts'
import { dayOf, isoTime, parseInstant } from '../../core/basics/text/instant.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import {
  DATABASE_OPTIONS,
  defineCommand,
  JSON_OPTION,
  type Terminal,
  UsageError,
} from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { formatTable } from '../../core/cli/table.ts'
import type { UsageCount } from '../../core/http/request-counter.ts'
import { type ApiKey, parseKeyId } from '../../core/store/api-key.ts'
import { type Days, isV3 } from './usage.ts'
import { USAGE } from './usage-statements.ts'

const DAY = 86_400_000
const DEFAULT_DAYS = 30
const NO_KEY_ID = 'anonymous'
const DAY_OPTION = {
  placeholder: 'DAY',
  accepts: 'a day in UTC, such as 2026-01-31',
  parse: parseDay,
} as const

export const usage = defineCommand({
  name: 'usage',
  summary: 'show requests by key and day',
  description: `Requests of the APIs by key, with the share of errors (status 400 and above). Days are in
    UTC. Counts are a few seconds behind; a crash loses no more than those seconds.`,
  options: {
    since: {
      ...DAY_OPTION,
      about: `first day, such as 2026-01-01; by default ${DEFAULT_DAYS - 1} days before the last`,
    },
    until: { ...DAY_OPTION, about: 'last day, by default today' },
    key: {
      placeholder: 'ID',
      about: `one key, by day, endpoint and status; "${NO_KEY_ID}" stands for requests without a key`,
    },
    v1: { about: 'count only requests to V1 and V2, which will be retired' },
    ...JSON_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values, values: { key } }, terminal) {
    const days = toDays(values.since, values.until ?? dayOf(terminal.now()))
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
    const clientOf = (id: string): Client => keys.get(id) ?? { id: id || NO_KEY_ID, name: '', owner: '' }
    const all = (await store.data(USAGE).list(days)).filter(({ endpoint }) => !values.v1 || !isV3(endpoint))
    // A whole key is also accepted instead of its id.
    const id = key === undefined ? undefined : key === NO_KEY_ID ? '' : (parseKeyId(key) ?? key)
    const counts = id === undefined ? all : all.filter((count) => count.key === id)
    if (id && !keys.has(id) && counts.length === 0)
      throw new CommandError(
        `There is no key "${id}" in ${name}: "keys list" shows the ids; "${NO_KEY_ID}" stands for requests without a key.`,
      )
    const report = { days, counts, clientOf, client: id === undefined ? undefined : clientOf(id) }
    if (values.json) terminal.out(toJsonText(usageJson(report)))
    else printReport(report, name, terminal)
  },
})

type Client = Pick<ApiKey, 'id' | 'name' | 'owner' | 'lastUsedAt'>

type UsageReport = {
  days: Days
  counts: readonly UsageCount[]
  clientOf: (key: string) => Client
  client: Client | undefined
}

function toDays(since: string | undefined, until: string): Days {
  const first = since ?? dayOf(Date.parse(until) - (DEFAULT_DAYS - 1) * DAY)
  if (first <= until) return { since: first, until }
  throw new UsageError(`--since must not be later than --until: ${first} is later than ${until}.`)
}

function parseDay(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(text) !== undefined ? text : undefined
}

function usageJson({ days, counts, clientOf, client }: UsageReport) {
  const head = { ...days, ...sumUp(counts) }
  const perDay = sumBy(counts, 'day').map(({ name: day, requests, errors }) => ({ day, requests, errors }))
  if (client) {
    const details = counts.map(({ day, endpoint, status, count }) => ({ day, endpoint, status, count }))
    return { ...head, key: presentClient(client), days: perDay, counts: details }
  }
  const keys = sumByClient(counts, clientOf).map(({ client, ...sums }) => ({
    ...presentClient(client),
    ...sums,
    endpoints: Object.fromEntries(sums.endpoints),
  }))
  return { ...head, keys, days: perDay }
}

function presentClient({ id, name, owner, lastUsedAt }: Client) {
  return { id, name, owner, last_used_at: isoTime(lastUsedAt) }
}

const CAUTION = `Counts are a few seconds behind; a crash loses no more than those seconds.\n`

function printReport({ days, counts, clientOf, client }: UsageReport, database: string, terminal: Terminal) {
  const span = `from ${days.since} to ${days.until}`
  const who = client ? ` of ${nameClient(client)}` : ''
  if (counts.length === 0)
    return terminal.err(`No requests${who} were counted ${span} in ${database}. ${CAUTION}`)
  const totals = sumUp(counts)
  const sentence = `${count(totals.requests, 'request')}${who} ${span}, ${share(totals)} of them errors.\n`
  const details = counts.map((entry) => [entry.day, entry.endpoint, `${entry.status}`, number(entry.count)])
  const byDay = sumBy(counts, 'day').map((sum) => [sum.name, number(sum.requests), share(sum)])
  const tables = client
    ? [[['DAY', 'ENDPOINT', 'STATUS', 'REQUESTS'], ...details]]
    : [[['DAY', 'REQUESTS', 'ERRORS'], ...byDay], rowsOfAll(counts, clientOf)]
  terminal.out([sentence, ...tables.map(formatTable)].join('\n'))
  terminal.err(`\n${CAUTION}`)
}

const nameClient = ({ id, name }: Client) =>
  id === NO_KEY_ID ? 'clients without a key' : `key ${id}${name && ` (${printable(name)})`}`

const share = ({ requests, errors }: Totals) =>
  (errors / requests).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })

function rowsOfAll(counts: readonly UsageCount[], clientOf: UsageReport['clientOf']): string[][] {
  const rows = sumByClient(counts, clientOf).map(({ client, endpoints, ...totals }) => [
    client.id,
    printable(client.name) || '-',
    printable(client.owner) || '-',
    number(totals.requests),
    share(totals),
    endpoints.map(([endpoint, requests]) => `${endpoint} ${number(requests)}`).join(', '),
    client.lastUsedAt === undefined ? '-' : dayOf(client.lastUsedAt),
  ])
  return [['KEY', 'NAME', 'OWNER', 'REQUESTS', 'ERRORS', 'ENDPOINTS', 'LAST USED'], ...rows]
}

type Totals = { requests: number; errors: number }

function sumUp(counts: readonly UsageCount[]): Totals {
  const sum = (some: readonly UsageCount[]) => some.reduce((total, { count }) => total + count, 0)
  return { requests: sum(counts), errors: sum(counts.filter(({ status }) => status >= 400)) }
}

const sumBy = (counts: readonly UsageCount[], by: 'day' | 'endpoint' | 'key') =>
  [...Map.groupBy(counts, (entry) => entry[by])]
    .map(([name, some]) => ({ name, some, ...sumUp(some) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Sums up the requests of each client, beginning with the client that sent the most. */
const sumByClient = (counts: readonly UsageCount[], clientOf: UsageReport['clientOf']) =>
  sumBy(counts, 'key')
    .map(({ name, some, ...totals }) => {
      const endpoints = sumBy(some, 'endpoint').map(({ name, requests }) => [name, requests] as const)
      return { client: clientOf(name), ...totals, endpoints }
    })
    .sort((a, b) => b.requests - a.requests)
