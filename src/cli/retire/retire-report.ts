import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { datePlan } from '../../domain/retirement.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { dayOf, type UsageCount } from '../../domain/usage.ts'
import type { Days } from '../../store/store.ts'
import { refuseExtra, UsageError } from '../args.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import { DAY, NO_KEY_ID, sumUp } from '../usage-summary.ts'
import { composeLetter } from './retire-email.ts'
import type { RetireTask, RetireValues } from './retire-options.ts'

const USUAL_DAYS = 30

/** Who still calls V1, and what to write to them. */
export function prepareReport(rest: string[], { since, json }: RetireValues, now: number): RetireTask {
  refuseExtra('retire', rest)
  const { days, before } = parsePeriod(since, now)
  return async ({ store, plan, terminal, deprecatedAt }) => {
    const [requests, earlier] = [sum(await store.usage.list(days)), sum(await store.usage.list(before))]
    const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
    const toCaller = (id: string) => ({
      ...describeKey(id, keys.get(id), now),
      ...compare(requests.get(id) ?? 0, earlier.get(id) ?? 0),
      exempt: plan.exempt.includes(id),
    })
    const callers = [...new Set([...requests.keys(), ...earlier.keys()])]
      .filter((id) => id !== '')
      .map(toCaller)
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
    const addresses = addressesOf(callers)
    const letter = composeLetter(datePlan(plan, deprecatedAt), now)
    const nobody = toCaller('')
    if (json) {
      const whole = { ...days, before, callers, without_key: nobody, addresses, letter }
      return terminal.out(`${JSON.stringify(whole)}\n`)
    }
    terminal.out(`Requests to V1 from ${days.since} to ${days.until}, and from ${before.since} to ${before.until} before that

${formatTable([TITLES, ...[...callers, nobody].map(toRow)])}
Write to:
${addresses.map(printable).join(', ') || '(no owner of these keys is known)'}

${letter}`)
  }
}

/** As many days before as there are in it. */
function parsePeriod(text: string | undefined, now: number): { days: Days; before: Days } {
  const usual = now - (USUAL_DAYS - 1) * DAY
  const since = text === undefined ? usual : parseInstant(text)
  if (since === undefined || since > now) {
    throw new UsageError(`--since must be a day that has come, such as ${dayOf(usual)}, got "${text}".`)
  }
  const first = Date.parse(dayOf(since))
  const length = Date.parse(dayOf(now)) - first + DAY
  return {
    days: { since: dayOf(first), until: dayOf(now) },
    before: { since: dayOf(first - length), until: dayOf(first - DAY) },
  }
}

/** Every request counts, whatever its answer was. */
const sum = (counts: readonly UsageCount[]) =>
  new Map([...Map.groupBy(counts, ({ key }) => key)].map(([key, some]) => [key, sumUp(some).requests]))

type Caller = ReturnType<typeof describeKey> & ReturnType<typeof compare> & { exempt: boolean }

/** `id` is empty for all callers without a key. */
function describeKey(id: string, key: ApiKey | undefined, now: number) {
  return {
    key: id,
    name: key?.name ?? '',
    owner: key?.owner ?? '',
    state: key ? keyState(key, now) : id === '' ? '' : 'unknown',
    last_used_at: isoTime(key?.lastUsedAt),
  }
}

/** Up to this many per cent up or down is no change. */
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

/** Of keys that work and still call; each once. */
function addressesOf(callers: readonly Caller[]): string[] {
  const calling = callers.filter(({ requests, state }) => requests > 0 && state === 'active')
  return [...new Set(calling.map(({ owner }) => owner).filter((owner) => owner !== ''))]
}

const TITLES = ['KEY', 'NAME', 'OWNER', 'REQUESTS', 'BEFORE', 'CHANGE', 'LAST USED', 'EXEMPT']

function toRow(caller: Caller): string[] {
  const { change_percent: percent, trend } = caller
  const change = percent === null ? trend : `${trend} ${percent > 0 ? '+' : ''}${percent}%`
  const state = ['', 'active'].includes(caller.state) ? '' : ` (${caller.state})`
  return [
    caller.key || NO_KEY_ID,
    printable(caller.key === '' ? 'callers without a key' : `${caller.name}${state}`),
    printable(caller.owner) || '-',
    caller.requests.toLocaleString('en'),
    caller.requests_before.toLocaleString('en'),
    change,
    caller.last_used_at === null ? '-' : formatInstant(Date.parse(caller.last_used_at)),
    caller.exempt ? 'exempt' : '',
  ]
}
