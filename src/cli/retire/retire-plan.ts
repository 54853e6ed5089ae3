import { type ApiKey, keyState } from '../../domain/api-key.ts'
import {
  type Brownout,
  brownoutAt,
  brownoutState,
  type DatedPlan,
  DEFAULT_SUCCESSOR,
  datePlan,
  nextChange,
  phaseAt,
  type RetirementPlan,
} from '../../domain/retirement.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import { count, printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import type { RetireAction, RetireContext } from './retire-task.ts'

export const showPlan: RetireAction =
  ({ values }) =>
  (context) => {
    if (!values.json) return printPlan(context, context.plan)
    const plan = datePlan(context.plan, context.deprecatedAt)
    context.terminal.out(`${JSON.stringify(present(plan, context.now))}\n`)
  }

/** Prints the settings of the plan, the present state and the next change. */
export async function printPlan(context: RetireContext, plan: RetirementPlan): Promise<void> {
  const { now } = context
  const dated = datePlan(plan, context.deprecatedAt)
  const names = new Map((await context.store.keys.list()).map((key) => [key.id, nameKey(key, now)]))
  const byDefault = plan.deprecatedAt === undefined ? ' (DEPRECATED_AT)' : ''
  const rows = [
    ['Deprecated', `${since(dated.deprecatedAt, now)}${byDefault}`],
    ['Removal', since(plan.sunsetAt, now)],
    ['Successor', printable(plan.successor ?? DEFAULT_SUCCESSOR)],
    ['Notice', printable(plan.notice ?? 'none')],
    ...list(
      'Brownouts',
      plan.brownouts.map((brownout) => describeBrownout(brownout, now)),
    ),
    ...list(
      'Exempt',
      plan.exempt.map((id) => printable(`${id} (${names.get(id) ?? 'no such key'})`)),
    ),
    [''],
    ['Now', describeNow(dated, now)],
    ['Next', describeNext(dated, now)],
  ]
  context.terminal.out(formatTable(rows))
}

/** The name of an invalid key shows its state: its exemption has no effect. */
function nameKey(key: ApiKey, now: number): string {
  const state = keyState(key, now)
  return state === 'active' ? key.name : `${key.name}, ${state}`
}

const list = (label: string, items: readonly string[]) =>
  (items.length === 0 ? ['none'] : items).map((item, at) => [at === 0 ? label : '', item])

function since(time: number | undefined, now: number): string {
  if (time === undefined) return 'no date is set'
  if (time <= now) return `since ${formatInstant(time)}`
  const days = Math.floor((time - now) / 86_400_000)
  return `on ${formatInstant(time)}, in ${days === 0 ? 'less than a day' : count(days, 'day')}`
}

export const describeBrownout = (brownout: Brownout, now: number) =>
  `${formatInstant(brownout.start)}, ${formatDuration(brownout.end - brownout.start)}, ${brownoutState(brownout, now)}`

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

function present(plan: DatedPlan, now: number) {
  const next = nextChange(plan, now)
  return {
    phase: phaseAt(plan, now),
    next: next ? { at: isoTime(next.at), to: next.to } : null,
    deprecated_at: isoTime(plan.deprecatedAt),
    sunset_at: isoTime(plan.sunsetAt),
    successor: plan.successor ?? null,
    notice: plan.notice ?? null,
    brownouts: plan.brownouts.map(({ start, end }) => ({ start: isoTime(start), end: isoTime(end) })),
    exempt: plan.exempt,
  }
}
