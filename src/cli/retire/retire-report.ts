import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { datePlan } from '../../domain/retirement.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { dayOf, isV3, type UsageCount } from '../../domain/usage.ts'
import type { Days } from '../../store/store.ts'
import { invalidValue } from '../command.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import { DAY, NO_KEY_ID, sumUp } from '../usage-summary.ts'
import { composeEmail } from './retire-email.ts'
import type { RetireInput, RetireTask } from './retire-task.ts'

const USUAL_DAYS = 30

/** Lists the clients that still use V1, with an email to their owners. */
export function prepareReport({ values: { since, json }, now }: RetireInput): RetireTask {
  const { days, before } = toPeriods(since, now)
  return async ({ store, plan, terminal, deprecatedAt }) => {
    const [requests, earlier] = [sum(await store.usage.list(days)), sum(await store.usage.list(before))]
    const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
    const toClient = (id: string) => ({
      ...describeKey(id, keys.get(id), now),
      ...compare(requests.get(id) ?? 0, earlier.get(id) ?? 0),
      exempt: plan.exempt.includes(id),
    })
    const clients = [...new Set([...requests.keys(), ...earlier.keys()])]
      .filter((id) => id !== '')
      .map(toClient)
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
    const addresses = addressesOf(clients)
    const email = composeEmail(datePlan(plan, deprecatedAt), now)
    const anonymous = toClient('')
    if (json) {
      const whole = { ...days, before, callers: clients, without_key: anonymous, addresses, letter: email }
      return terminal.out(`${JSON.stringify(whole)}\n`)
    }
    terminal.out(`Requests to V1 from ${days.since} to ${days.until}, and from ${before.since} to ${before.until} before that

${formatTable([TITLES, ...[...clients, anonymous].map(toRow)])}
Send to:
${addresses.map(printable).join(', ') || '(no key in the table has an owner)'}

${email}`)
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
const sum = (counts: readonly UsageCount[]) =>
  new Map(
    [
      ...Map.groupBy(
        counts.filter(({ endpoint }) => !isV3(endpoint)),
        ({ key }) => key,
      ),
    ].map(([key, some]) => [key, sumUp(some).requests]),
  )

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

/** Owners of active keys with requests, each once. */
function addressesOf(clients: readonly Client[]): string[] {
  const active = clients.filter(({ requests, state }) => requests > 0 && state === 'active')
  return [...new Set(active.map(({ owner }) => owner).filter((owner) => owner !== ''))]
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
