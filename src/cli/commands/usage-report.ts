import { readConfig } from '../../config.ts'
import { parseKeyId } from '../../domain/api-key.ts'
import { type DatabaseAddress, nameDatabase } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, printable } from '../../domain/text/format.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { quote } from '../../domain/text/quote.ts'
import { dayOf, type UsageCount } from '../../domain/usage.ts'
import type { Days } from '../../store/store.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import { formatCsv } from '../csv.ts'
import { isoTime } from '../iso-time.ts'
import { openForCommand } from '../open-store.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { type Caller, DAY, NO_KEY_ID, sumByCaller, sumByDay, sumUp, type Totals } from '../usage-summary.ts'

const OPTIONS = {
  since: { type: 'string' },
  until: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
  ...DATABASE_OPTIONS,
} as const

/** What a report is made of. */
type Findings = {
  days: Days
  counts: readonly UsageCount[]
  callerOf: (key: string) => Caller
  /** The one that was asked for. */
  only: Caller | undefined
  database: string
}

export async function usageReport(args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseOptions('usage', args, OPTIONS)
  if (values.json && values.csv) throw new UsageError('Choose one of --json and --csv.')
  const days = parseDays(values.since, values.until, terminal.now())
  const { database } = readConfig(terminal.env, values)
  const findings = await find(values.key, days, database)
  if (values.json) return print(terminal, `${JSON.stringify(toJson(findings))}\n`)
  if (values.csv) return print(terminal, toCsv(findings))
  showReport(findings, terminal)
}

const DEFAULT_DAYS = 30

function parseDays(since: string | undefined, until: string | undefined, now: number): Days {
  const last = until === undefined ? dayOf(now) : parseDay('--until', until)
  const first = since === undefined ? daysBefore(last, DEFAULT_DAYS - 1) : parseDay('--since', since)
  if (first > last)
    throw new UsageError(`--since must not be later than --until: ${first} is later than ${last}.`)
  return { since: first, until: last }
}

/** Not before the year 0, whose days are written in another way. */
const daysBefore = (day: string, days: number) =>
  dayOf(Math.max(Date.parse(day) - days * DAY, Date.parse('0000-01-01')))

function parseDay(option: string, text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(text) !== undefined) return text
  throw new UsageError(`${option} must be a day, in UTC, such as 2026-01-31, got ${quote(text)}.`)
}

async function find(key: string | undefined, days: Days, database: DatabaseAddress): Promise<Findings> {
  await using store = await openForCommand(database)
  const keys = new Map((await store.keys.list()).map((each) => [each.id, each]))
  const callerOf = (id: string): Caller =>
    keys.get(id) ?? { id: id === '' ? NO_KEY_ID : id, name: '', owner: '' }
  const all = await store.usage.list(days)
  const name = nameDatabase(database)
  if (key === undefined) return { days, counts: all, callerOf, only: undefined, database: name }
  // The whole key will do as well.
  const id = key === NO_KEY_ID ? '' : (parseKeyId(key) ?? key)
  const counts = all.filter((each) => each.key === id)
  if (id !== '' && !keys.has(id) && counts.length === 0) {
    throw new CommandError(
      `There is no key "${id}" in ${name}: "keys list" shows the ids; "${NO_KEY_ID}" is for callers without one.`,
    )
  }
  return { days, counts, callerOf, only: callerOf(id), database: name }
}

/** Whoever reads it may have had enough, as `head` does. */
function print(terminal: Terminal, text: string): void {
  try {
    terminal.out(text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function toJson({ days, counts, callerOf, only }: Findings) {
  const head = { ...days, ...sumUp(counts) }
  const perDay = sumByDay(counts)
  if (only) {
    const details = counts.map(({ day, endpoint, status, count }) => ({ day, endpoint, status, count }))
    return { ...head, key: presentCaller(only), days: perDay, counts: details }
  }
  const keys = sumByCaller(counts, callerOf).map(({ caller, ...sums }) => ({
    ...presentCaller(caller),
    ...sums,
  }))
  return { ...head, keys, days: perDay }
}

function presentCaller({ id, name, owner, lastUsedAt }: Caller) {
  return { id, name, owner, last_used_at: isoTime(lastUsedAt) }
}

function toCsv({ counts, callerOf }: Findings): string {
  const rows = counts.map(({ day, key, endpoint, status, count }) => {
    const { id, name, owner } = callerOf(key)
    return [day, id, name, owner, endpoint, status, count]
  })
  return formatCsv([['day', 'key', 'name', 'owner', 'endpoint', 'status', 'requests'], ...rows])
}

const CAUTION = `Counts are a few seconds behind; a crash loses no more than those seconds.\n`

function showReport(findings: Findings, terminal: Terminal): void {
  const { days, counts, only, database } = findings
  const span = `from ${days.since} to ${days.until}`
  const who = only ? ` of ${nameCaller(only)}` : ''
  if (counts.length === 0) {
    terminal.err(`No requests${who} were counted ${span} in ${database}. ${CAUTION}`)
    return
  }
  const totals = sumUp(counts)
  const sentence = `${count(totals.requests, 'request')}${who} ${span}, ${share(totals)} of them errors.\n`
  const table = only
    ? formatTable(rowsOfOne(counts))
    : `${formatTable(rowsOfDays(counts))}\n${formatTable(rowsOfAll(findings))}`
  print(terminal, `${sentence}\n${table}`)
  terminal.err(`\n${CAUTION}`)
}

const nameCaller = ({ id, name }: Caller) =>
  id === NO_KEY_ID ? 'callers without a key' : `key ${id}${name && ` (${printable(name)})`}`

const number = (value: number) => value.toLocaleString('en')

function share({ requests, errors }: Totals): string {
  const part = (errors / requests) * 100
  // Not a single one, or all of them, is not the same as nearly so.
  if (errors > 0 && part < 0.1) return '<0.1%'
  if (errors < requests && part > 99.9) return '>99.9%'
  return `${part.toFixed(part > 0 && part < 100 ? 1 : 0)}%`
}

function rowsOfDays(counts: readonly UsageCount[]): string[][] {
  const rows = sumByDay(counts).map((totals) => [totals.day, number(totals.requests), share(totals)])
  return [['DAY', 'REQUESTS', 'ERRORS'], ...rows]
}

function rowsOfAll({ counts, callerOf }: Findings): string[][] {
  const rows = sumByCaller(counts, callerOf).map(({ caller, ...sums }) => [
    caller.id,
    printable(caller.name) || '-',
    printable(caller.owner) || '-',
    number(sums.requests),
    share(sums),
    Object.entries(sums.endpoints)
      .map(([endpoint, requests]) => `${endpoint} ${number(requests)}`)
      .join(', '),
    caller.lastUsedAt === undefined ? '-' : dayOf(caller.lastUsedAt),
  ])
  return [['KEY', 'NAME', 'OWNER', 'REQUESTS', 'ERRORS', 'ENDPOINTS', 'LAST USED'], ...rows]
}

function rowsOfOne(counts: readonly UsageCount[]): string[][] {
  const rows = counts.map((each) => [each.day, each.endpoint, String(each.status), number(each.count)])
  return [['DAY', 'ENDPOINT', 'STATUS', 'REQUESTS'], ...rows]
}
