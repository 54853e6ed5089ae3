import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { dayOf, isV3 } from '../../domain/usage.ts'
import { invalidValue } from '../command.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import { DAY, NO_KEY_ID, sumUp } from '../usage-summary.ts'
import type { RetireAction } from './retire-task.ts'

const USUAL_DAYS = 30

/** Lists the clients that still use V1, with the addresses of their owners. */
export const reportClients: RetireAction = ({ values, now }) => {
  const since = values.since ?? now - (USUAL_DAYS - 1) * DAY
  if (since > now) throw invalidValue('--since must be a day that is not in the future', dayOf(since))
  const days = { since: dayOf(since), until: dayOf(now) }
  return async ({ store, plan, terminal }) => {
    const counts = (await store.usage.list(days)).filter(({ endpoint }) => !isV3(endpoint))
    const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
    const toClient = (id: string, { requests }: { requests: number }) => ({
      ...describeKey(id, keys.get(id), now),
      requests,
      exempt: plan.exempt.includes(id),
    })
    const all = [...Map.groupBy(counts, ({ key }) => key)].map(([id, some]) => toClient(id, sumUp(some)))
    const callers = all
      .filter(({ key }) => key !== '')
      .sort((one, other) => other.requests - one.requests || (one.key < other.key ? -1 : 1))
    const without_key = all.find(({ key }) => key === '') ?? toClient('', { requests: 0 })
    if (values.json) return terminal.out(`${JSON.stringify({ ...days, callers, without_key })}\n`)
    const rows = [TITLES, ...[...callers, without_key].map(toRow)]
    terminal.out(`Requests to V1 from ${days.since} to ${days.until}\n\n${formatTable(rows)}`)
  }
}

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

type Client = ReturnType<typeof describeKey> & { requests: number; exempt: boolean }

const TITLES = ['KEY', 'NAME', 'OWNER', 'REQUESTS', 'LAST USED', 'EXEMPT']

function toRow({ key, name, owner, state, requests, last_used_at: time, exempt }: Client): string[] {
  const shown = ['', 'active'].includes(state) ? name : `${name} (${state})`
  return [
    key || NO_KEY_ID,
    printable(key === '' ? 'clients without a key' : shown),
    printable(owner) || '-',
    requests.toLocaleString('en'),
    time === null ? '-' : formatInstant(Date.parse(time)),
    exempt ? 'exempt' : '',
  ]
}
