import { type ApiKey, keyState } from '../../domain/api-key.ts'
import {
  type Brownout,
  brownoutAt,
  brownoutState,
  type DatedPlan,
  datePlan,
  nextChange,
  phaseAt,
  type RetirementPlan,
} from '../../domain/retirement.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import { count, printable } from '../../domain/text/format.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { refuseExtra } from '../args.ts'
import { isoTime } from '../iso-time.ts'
import { formatTable } from '../table.ts'
import type { RetireDesk, RetireTask, RetireValues } from './retire-options.ts'

export function prepareShow(rest: string[], { json }: RetireValues): RetireTask {
  refuseExtra('retire', rest)
  return (desk) => {
    if (!json) return printPlan(desk, desk.plan)
    desk.terminal.out(`${JSON.stringify(present(datePlan(desk.plan, desk.deprecatedAt), desk.now))}\n`)
  }
}

/** The plan in words: what is set, what callers see now, what comes next. */
export async function printPlan(desk: RetireDesk, plan: RetirementPlan): Promise<void> {
  const { now } = desk
  const dated = datePlan(plan, desk.deprecatedAt)
  const names = new Map((await desk.store.keys.list()).map((key) => [key.id, nameKey(key, now)]))
  const byDefault = plan.deprecatedAt === undefined ? ' (DEPRECATED_AT)' : ''
  const rows = [
    ['Deprecated', `${since(dated.deprecatedAt, now)}${byDefault}`],
    ['Removal', plan.sunsetAt === undefined ? 'no date is set' : since(plan.sunsetAt, now)],
    ['Successor', printable(plan.successor ?? 'none')],
    ['Notice', printable(plan.notice ?? 'none')],
    ...list(
      'Brown-outs',
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
  desk.terminal.out(formatTable(rows))
}

/** A key that has ended is spared nothing: it can leave the plan. */
function nameKey(key: ApiKey, now: number): string {
  const state = keyState(key, now)
  return state === 'active' ? key.name : `${key.name}, ${state}`
}

const list = (label: string, items: readonly string[]) =>
  (items.length === 0 ? ['none'] : items).map((item, at) => [at === 0 ? label : '', item])

function since(time: number, now: number): string {
  if (time <= now) return `since ${formatInstant(time)}`
  const days = Math.floor((time - now) / 86_400_000)
  return `on ${formatInstant(time)}, in ${days === 0 ? 'less than a day' : count(days, 'day')}`
}

export const describeBrownout = (brownout: Brownout, now: number) =>
  `${formatInstant(brownout.start)}, ${formatDuration(brownout.end - brownout.start)}, ${brownoutState(brownout, now)}`

function describeNow(plan: DatedPlan, now: number): string {
  const headers = plan.sunsetAt === undefined ? 'Deprecation and Link' : 'Deprecation, Sunset and Link'
  switch (phaseAt(plan, now)) {
    case 'removed':
      return 'V1 is removed: every call is answered 410, also those with exempt keys.'
    case 'brownout': {
      const end = formatInstant(brownoutAt(plan, now)?.end ?? now)
      const spared =
        plan.exempt.length === 0 ? '' : `, but for those with ${count(plan.exempt.length, 'exempt key')}`
      return `A brown-out until ${end}: calls are answered 410${spared}.`
    }
    case 'announced':
      return `V1 answers as ever; the headers ${headers} announce the deprecation.`
    case 'deprecated':
      return `V1 answers as ever, with the headers ${headers}.`
  }
}

function describeNext(plan: DatedPlan, now: number): string {
  const next = nextChange(plan, now)
  if (!next) return 'nothing'
  const what = {
    deprecated: 'V1 is deprecated',
    brownout: 'a brown-out begins',
    'brownout-end': 'the brown-out ends',
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
