import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { formatDuration } from '../../core/basics/text/duration.ts'
import { formatInstant, isoTime } from '../../core/basics/text/instant.ts'
import { printable } from '../../core/basics/text/quote.ts'
import type { Terminal } from '../../core/cli/command.ts'
import type { OpenDatabase } from '../../core/cli/open-store.ts'
import { formatTable } from '../../core/cli/table.ts'
import { keyState } from '../../core/store/api-key.ts'
import {
  brownoutAt,
  brownoutState,
  type DatedPlan,
  DEFAULT_SUCCESSOR,
  datePlan,
  nextChange,
  phaseAt,
  type RetirementPlan,
} from './plan.ts'

export type PlanContext = OpenDatabase & { plan: RetirementPlan; terminal: Terminal; now: number }

export async function printPlan({ plan, store, terminal, now, config }: PlanContext): Promise<void> {
  const dated = datePlan(plan, config.deprecatedAt)
  const keys = new Map((await store.keys.list()).map((key) => [key.id, key]))
  const byDefault = plan.deprecatedAt === undefined ? ' (DEPRECATED_AT)' : ''
  const brownouts = plan.brownouts.map((brownout) => {
    const length = formatDuration(brownout.end - brownout.start)
    return `${formatInstant(brownout.start)}, ${length}, ${brownoutState(brownout, now)}`
  })
  const exempt = plan.exempt.map((id) => {
    const key = keys.get(id)
    if (!key) return `${printable(id)} (no such key)`
    // Shows the state of a key that is not active, because its exemption has no effect.
    const state = keyState(key, now)
    return printable(`${id} (${key.name}${state === 'active' ? '' : `, ${state}`})`)
  })
  const rows = [
    ['Deprecated', `${since(dated.deprecatedAt, now)}${byDefault}`],
    ['Removal', since(plan.sunsetAt, now)],
    ['Successor', printable(plan.successor ?? DEFAULT_SUCCESSOR)],
    ['Notice', printable(plan.notice ?? 'none')],
    ...toRows('Brownouts', brownouts),
    ...toRows('Exempt', exempt),
    [''],
    ['Now', describeNow(dated, now)],
    ['Next', describeNext(dated, now)],
  ]
  terminal.out(formatTable(rows))
}

const toRows = (label: string, items: readonly string[]) =>
  (items.length === 0 ? ['none'] : items).map((item, at) => [at === 0 ? label : '', item])

function since(time: number | undefined, now: number): string {
  if (time === undefined) return 'no date is set'
  if (time <= now) return `since ${formatInstant(time)}`
  const days = Math.floor((time - now) / 86_400_000)
  return `on ${formatInstant(time)}, in ${days === 0 ? 'less than a day' : count(days, 'day')}`
}

function describeNow(plan: DatedPlan, now: number): string {
  const headers = plan.sunsetAt === undefined ? 'Deprecation and Link' : 'Deprecation, Sunset and Link'
  const withoutDate = plan.sunsetAt === undefined ? 'header Link' : 'headers Sunset and Link'
  switch (phaseAt(plan, now)) {
    case 'removed':
      return 'V1 is removed: every response is 410, for exempt keys too.'
    case 'brownout': {
      const end = formatInstant(brownoutAt(plan, now)?.end ?? now)
      const exempt = plan.exempt.length === 0 ? '' : `, except for ${count(plan.exempt.length, 'exempt key')}`
      return `Brownout until ${end}: responses are 410${exempt}.`
    }
    case 'supported':
      return `V1 works, with the ${withoutDate}; it is not deprecated.`
    case 'announced':
      return `V1 works; the headers ${headers} announce the deprecation.`
    case 'deprecated':
      return `V1 works, with the headers ${headers}.`
  }
}

function describeNext(plan: DatedPlan, now: number): string {
  const next = nextChange(plan, now)
  if (!next) return 'nothing'
  const what = {
    deprecated: 'V1 is deprecated',
    brownout: 'a brownout starts',
    'brownout-end': 'the brownout ends',
    removed: 'V1 is removed',
  }[next.to]
  return `${formatInstant(next.at)}: ${what}`
}

export function presentPlan({ plan, now, config }: PlanContext) {
  const dated = datePlan(plan, config.deprecatedAt)
  const next = nextChange(dated, now)
  return {
    phase: phaseAt(dated, now),
    next: next ? { at: isoTime(next.at), to: next.to } : null,
    deprecated_at: isoTime(dated.deprecatedAt),
    sunset_at: isoTime(plan.sunsetAt),
    successor: plan.successor ?? null,
    notice: plan.notice ?? null,
    brownouts: plan.brownouts.map(({ start, end }) => ({ start: isoTime(start), end: isoTime(end) })),
    exempt: plan.exempt,
  }
}
