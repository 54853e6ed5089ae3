import { parseKeyId } from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import { NO_PLAN, type RetirementPlan } from '../../domain/retirement.ts'
import { parseDuration } from '../../domain/text/duration.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { invalidValue, UsageError } from '../command.ts'
import { describeBrownout } from './retire-plan.ts'
import { checkAndSave, type RetireInput, type RetireTask, savePlan, wholeSeconds } from './retire-task.ts'

/** A nearer sunset needs a confirmation. */
const NEAR = 7 * 86_400_000
const [SHORTEST, LONGEST] = [60_000, 31 * 86_400_000]

export function prepareSet({ values, now }: RetireInput): RetireTask {
  const { deprecated, sunset, successor, notice } = values
  if ([deprecated, sunset, successor, notice].every((value) => value === undefined)) {
    throw new UsageError(
      '"retire set" needs at least one of --deprecated, --sunset, --successor and --notice.',
    )
  }
  const changes = {
    ...(deprecated !== undefined && { deprecatedAt: deprecated && wholeSeconds(deprecated) }),
    ...(sunset !== undefined && { sunsetAt: sunset && wholeSeconds(sunset) }),
    ...(successor !== undefined && { successor }),
    ...(notice !== undefined && { notice }),
  }
  const { sunsetAt } = changes
  if (typeof sunsetAt === 'number' && sunsetAt - now < NEAR && !values.yes) {
    const when = sunsetAt <= now ? 'is in the past: V1 would be removed at once' : 'is less than 7 days away'
    throw new UsageError(`${formatInstant(sunsetAt)} ${when}. Add --yes to confirm.`)
  }
  return (context) => checkAndSave(context, withChanges(context.plan, changes))
}

export function prepareAddBrownout({
  args: [startText = '', lengthText = ''],
  now,
}: RetireInput): RetireTask {
  const start = parseStart(startText)
  const end = start + parseLength(lengthText)
  if (start <= now) throw invalidValue('A brownout must start in the future', startText)
  return (context) => {
    const all = [...context.plan.brownouts, { start, end }].sort((one, other) => one.start - other.start)
    return checkAndSave(context, { ...context.plan, brownouts: all })
  }
}

export function prepareListBrownouts(): RetireTask {
  return ({ plan: { brownouts }, terminal, now }) => {
    if (brownouts.length === 0) terminal.err('There are no brownouts.\n')
    else terminal.out(brownouts.map((brownout) => `${describeBrownout(brownout, now)}\n`).join(''))
  }
}

export function prepareRemoveBrownout({ args: [startText = ''] }: RetireInput): RetireTask {
  const start = parseStart(startText)
  return (context) => savePlan(context, withoutBrownout(context.plan, start))
}

export function prepareExempt({ args: [given = ''], values }: RetireInput): RetireTask {
  const id = parseKeyId(given) ?? given
  if (values.undo) return (context) => savePlan(context, withoutExemption(context.plan, id))
  return async (context) => {
    if (!(await context.store.keys.find(id))) {
      throw new CommandError(`There is no key "${id}" in ${context.name}: "keys list" shows the ids.`)
    }
    await savePlan(context, { ...context.plan, exempt: [...new Set([...context.plan.exempt, id])] })
  }
}

export function prepareClear({ values }: RetireInput): RetireTask {
  if (!values.yes) throw new UsageError('"retire clear" deletes the whole plan. Add --yes to confirm.')
  return (context) => savePlan(context, NO_PLAN)
}

type Changes = {
  [Name in 'deprecatedAt' | 'sunsetAt' | 'successor' | 'notice']?: RetirementPlan[Name] | null
}

function withChanges(plan: RetirementPlan, changes: Changes): RetirementPlan {
  const all = Object.entries({ ...plan, ...changes })
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as RetirementPlan
}

function withoutExemption(plan: RetirementPlan, id: string): RetirementPlan {
  if (plan.exempt.includes(id)) return { ...plan, exempt: plan.exempt.filter((other) => other !== id) }
  throw new CommandError(`Key "${id}" is not exempt: "retire" shows the exempt keys.`)
}

function withoutBrownout(plan: RetirementPlan, start: number): RetirementPlan {
  const brownouts = plan.brownouts.filter((brownout) => brownout.start !== start)
  if (brownouts.length < plan.brownouts.length) return { ...plan, brownouts }
  throw new CommandError(
    `No brownout starts at ${formatInstant(start)}: "retire brownout list" shows the starts.`,
  )
}

function parseStart(text: string): number {
  const time = parseInstant(text)
  if (time !== undefined) return wholeSeconds(time)
  throw invalidValue('START must be a day or a time such as 2026-12-01T09:00Z', text)
}

function parseLength(text: string): number {
  const length = parseDuration(text)
  if (length !== undefined && length >= SHORTEST && length <= LONGEST) return length
  throw invalidValue('DURATION must be from 1m to 31d, such as 2h', text)
}
