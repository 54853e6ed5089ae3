import { parseKeyId } from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, printable } from '../../domain/text/format.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { dayOf, type UsageCount } from '../../domain/usage.ts'
import type { Days, Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION, UsageError } from '../command.ts'
import { formatCsv } from '../csv.ts'
import { isoTime } from '../iso-time.ts'
import { openConfigured } from '../open-store.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { type Client, DAY, NO_KEY_ID, sumByClient, sumByDay, sumUp, type Totals } from '../usage-summary.ts'

const DEFAULT_DAYS = 30
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
      about: `first day, such as 2026-01-01 (${DEFAULT_DAYS - 1} days before the last)`,
    },
    until: { ...DAY_OPTION, about: 'last day (today)' },
    key: {
      placeholder: 'ID',
      about: `one key, by day, endpoint and status; "${NO_KEY_ID}" stands for requests without a key`,
    },
    ...JSON_OPTION,
    csv: { about: 'print CSV: a line for each day, key, endpoint and status' },
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values }, terminal) {
    if (values.json && values.csv) throw new UsageError('--json and --csv exclude each other: choose one.')
    const days = toDays(values.since, values.until ?? dayOf(terminal.now()))
    await using database = await openConfigured(terminal, values)
    const report = await findUsage(database, days, values.key)
    if (values.json) terminal.out(`${JSON.stringify(toJson(report))}\n`)
    else if (values.csv) terminal.out(toCsv(report))
    else printReport(report, database.name, terminal)
  },
})

type UsageReport = {
  days: Days
  counts: readonly UsageCount[]
  clientOf: (key: string) => Client
  /** The client of --key. */
  only?: Client
}

function toDays(since: string | undefined, until: string): Days {
  const first = since ?? daysBefore(until, DEFAULT_DAYS - 1)
  if (first <= until) return { since: first, until }
  throw new UsageError(`--since must not be later than --until: ${first} is later than ${until}.`)
}

/** Not before the year 0: earlier days have another format. */
const daysBefore = (day: string, days: number) =>
  dayOf(Math.max(Date.parse(day) - days * DAY, Date.parse('0000-01-01')))

function parseDay(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(text) !== undefined ? text : undefined
}

type Database = { store: Store; name: string }

async function findUsage({ store, name }: Database, days: Days, key?: string): Promise<UsageReport> {
  const keys = new Map((await store.keys.list()).map((each) => [each.id, each]))
  const clientOf = (id: string): Client =>
    keys.get(id) ?? { id: id === '' ? NO_KEY_ID : id, name: '', owner: '' }
  const all = await store.usage.list(days)
  if (key === undefined) return { days, counts: all, clientOf }
  // A whole key is accepted as an id, too.
  const id = key === NO_KEY_ID ? '' : (parseKeyId(key) ?? key)
  const counts = all.filter((each) => each.key === id)
  if (id === '' || keys.has(id) || counts.length > 0) return { days, counts, clientOf, only: clientOf(id) }
  throw new CommandError(
    `There is no key "${id}" in ${name}: "keys list" shows the ids; "${NO_KEY_ID}" stands for requests without a key.`,
  )
}

function toJson({ days, counts, clientOf, only }: UsageReport) {
  const head = { ...days, ...sumUp(counts) }
  const perDay = sumByDay(counts)
  if (only) {
    const details = counts.map(({ day, endpoint, status, count }) => ({ day, endpoint, status, count }))
    return { ...head, key: presentClient(only), days: perDay, counts: details }
  }
  const keys = sumByClient(counts, clientOf).map(({ client, ...sums }) => ({
    ...presentClient(client),
    ...sums,
  }))
  return { ...head, keys, days: perDay }
}

function presentClient({ id, name, owner, lastUsedAt }: Client) {
  return { id, name, owner, last_used_at: isoTime(lastUsedAt) }
}

function toCsv({ counts, clientOf }: UsageReport): string {
  const rows = counts.map(({ day, key, endpoint, status, count }) => {
    const { id, name, owner } = clientOf(key)
    return [day, id, name, owner, endpoint, status, count]
  })
  return formatCsv([['day', 'key', 'name', 'owner', 'endpoint', 'status', 'requests'], ...rows])
}

const CAUTION = `Counts are a few seconds behind; a crash loses no more than those seconds.\n`

function printReport(report: UsageReport, database: string, terminal: Terminal) {
  const { days, counts, only } = report
  const span = `from ${days.since} to ${days.until}`
  const who = only ? ` of ${nameClient(only)}` : ''
  if (counts.length === 0)
    return terminal.err(`No requests${who} were counted ${span} in ${database}. ${CAUTION}`)
  const totals = sumUp(counts)
  const sentence = `${count(totals.requests, 'request')}${who} ${span}, ${share(totals)} of them errors.\n`
  const tables = only ? [rowsOfOne(counts)] : [rowsOfDays(counts), rowsOfAll(report)]
  terminal.out([sentence, ...tables.map(formatTable)].join('\n'))
  terminal.err(`\n${CAUTION}`)
}

const nameClient = ({ id, name }: Client) =>
  id === NO_KEY_ID ? 'clients without a key' : `key ${id}${name && ` (${printable(name)})`}`

const number = (value: number) => value.toLocaleString('en')

function share({ requests, errors }: Totals): string {
  const part = (errors / requests) * 100
  // 0% and 100% are exact.
  if (errors > 0 && part < 0.1) return '<0.1%'
  if (errors < requests && part > 99.9) return '>99.9%'
  return `${part.toFixed(part > 0 && part < 100 ? 1 : 0)}%`
}

function rowsOfDays(counts: readonly UsageCount[]): string[][] {
  const rows = sumByDay(counts).map((totals) => [totals.day, number(totals.requests), share(totals)])
  return [['DAY', 'REQUESTS', 'ERRORS'], ...rows]
}

function rowsOfAll({ counts, clientOf }: UsageReport): string[][] {
  const rows = sumByClient(counts, clientOf).map(({ client, ...sums }) => [
    client.id,
    printable(client.name) || '-',
    printable(client.owner) || '-',
    number(sums.requests),
    share(sums),
    Object.entries(sums.endpoints)
      .map(([endpoint, requests]) => `${endpoint} ${number(requests)}`)
      .join(', '),
    client.lastUsedAt === undefined ? '-' : dayOf(client.lastUsedAt),
  ])
  return [['KEY', 'NAME', 'OWNER', 'REQUESTS', 'ERRORS', 'ENDPOINTS', 'LAST USED'], ...rows]
}

function rowsOfOne(counts: readonly UsageCount[]): string[][] {
  const rows = counts.map((each) => [each.day, each.endpoint, String(each.status), number(each.count)])
  return [['DAY', 'ENDPOINT', 'STATUS', 'REQUESTS'], ...rows]
}
