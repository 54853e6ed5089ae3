import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { dayOf, isV3, type UsageCount } from '../../domain/usage.ts'
import type { Days } from '../../store/store.ts'
import { invalidValue } from '../command.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import { DAY, NO_KEY_ID } from '../usage-summary.ts'
import type { RetireAction } from './retire-task.ts'

const USUAL_DAYS = 30

/** Lists the clients that still use V1, with the addresses of their owners. */
export const reportClients: RetireAction = ({ values: { since, json }, now }) => {
  const { days, before } = toPeriods(since, now)
  return async ({ store, plan, terminal }) => {
    const [requests, earlier] = [sum(await store.usage.list(days)), sum(await store.usage.list(before))]
    const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
    const toClient = (id: string) => ({
      ...describeKey(id, keys.get(id), now),
      ...compare(requests.get(id) ?? 0, earlier.get(id) ?? 0),
      exempt: plan.exempt.includes(id),
    })
    const callers = [...new Set([...requests.keys(), ...earlier.keys()])]
      .filter((id) => id !== '')
      .map(toClient)
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
    const without_key = toClient('')
    if (json) return terminal.out(`${JSON.stringify({ ...days, before, callers, without_key })}\n`)
    terminal.out(`Requests to V1 from ${days.since} to ${days.until}, and from ${before.since} to ${before.until} before that

${formatTable([TITLES, ...[...callers, without_key].map(toRow)])}`)
  }
}

/** The days since `since`, and as many days before. */
function toPeriods(start: number | undefined, now: number): { days: Days; before: Days } {
  const since = start ?? now - (USUAL_DAYS - 1) * DAY
  if (since > now) throw invalidValue('--since must be a day that is not in the future', dayOf(since))
  const first = Date.parse(dayOf(since))
  const length = Date.parse(dayOf(now)) - first + DAY
  return {
    days: { since: dayOf(first), until: dayOf(now) },
    before: { since: dayOf(first - length), until: dayOf(first - DAY) },
  }
}

/** Requests per key, without those to v3. */
function sum(counts: readonly UsageCount[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { key, endpoint, count } of counts)
    if (!isV3(endpoint)) sums.set(key, (sums.get(key) ?? 0) + count)
  return sums
}

type Client = ReturnType<typeof describeKey> & ReturnType<typeof compare> & { exempt: boolean }

/** An empty `id` stands for all clients without a key. */
function describeKey(id: string, key: ApiKey | undefined, now: number) {
  return {
    key: id,
    name: key?.name ?? '',
    owner: key?.owner ?? '',
    state: key ? keyState(key, now) : id === '' ? '' : 'unknown',
    last_used_at: isoTime(key?.lastUsedAt),
  }
}

/** A smaller change in per cent counts as none. */
const STEADY = 5

function compare(requests: number, before: number) {
  const percent = before === 0 ? null : Math.round(((requests - before) / before) * 100)
  return { requests, requests_before: before, change_percent: percent, trend: nameTrend(requests, percent) }
}

function nameTrend(requests: number, percent: number | null): string {
  if (percent === null) return requests === 0 ? 'none' : 'new'
  if (requests === 0) return 'stopped'
  if (Math.abs(percent) <= STEADY) return 'steady'
  return percent < 0 ? 'falling' : 'rising'
}

const TITLES = ['KEY', 'NAME', 'OWNER', 'REQUESTS', 'BEFORE', 'CHANGE', 'LAST USED', 'EXEMPT']

function toRow(client: Client): string[] {
  const { change_percent: percent, trend } = client
  const change = percent === null ? trend : `${trend} ${percent > 0 ? '+' : ''}${percent}%`
  const state = ['', 'active'].includes(client.state) ? '' : ` (${client.state})`
  return [
    client.key || NO_KEY_ID,
    printable(client.key === '' ? 'clients without a key' : `${client.name}${state}`),
    printable(client.owner) || '-',
    client.requests.toLocaleString('en'),
    client.requests_before.toLocaleString('en'),
    change,
    client.last_used_at === null ? '-' : formatInstant(Date.parse(client.last_used_at)),
    client.exempt ? 'exempt' : '',
  ]
}
