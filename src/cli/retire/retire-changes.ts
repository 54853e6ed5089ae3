import { parseKeyId } from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import { datePlan, findPlanProblem, NO_PLAN, type RetirementPlan } from '../../domain/retirement.ts'
import { parseDuration } from '../../domain/text/duration.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { invalidValue, UsageError } from '../command.ts'
import { describeBrownout, printPlan } from './retire-plan.ts'
import type { RetireAction, RetireContext } from './retire-task.ts'

/** A nearer sunset needs a confirmation. */
const NEAR = 7 * 86_400_000
const [SHORTEST, LONGEST] = [60_000, 31 * 86_400_000]

export const setDates: RetireAction = ({ values, now }) => {
  const { deprecated, sunset, successor, notice } = values
  if ([deprecated, sunset, successor, notice].every((value) => value === undefined)) {
    throw new UsageError(
      '"retire set" needs at least one of --deprecated, --sunset, --successor and --notice.',
    )
  }
  const sunsetAt = sunset && wholeSeconds(sunset)
  if (typeof sunsetAt === 'number' && sunsetAt - now < NEAR && !values.yes) {
    const when = sunsetAt <= now ? 'is in the past: V1 would be removed at once' : 'is less than 7 days away'
    throw new UsageError(`${formatInstant(sunsetAt)} ${when}. Add --yes to confirm.`)
  }
  const changes = { deprecatedAt: deprecated && wholeSeconds(deprecated), sunsetAt, successor, notice }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return (context) => {
    const all = Object.entries({ ...context.plan, ...Object.fromEntries(given) })
    const plan = Object.fromEntries(all.filter(([, value]) => value !== null)) as RetirementPlan
    return checkAndSave(context, plan)
  }
}

export const addBrownout: RetireAction = ({ args: [startText = '', lengthText = ''], now }) => {
  const start = parseStart(startText)
  const end = start + parseLength(lengthText)
  if (start <= now) throw invalidValue('A brownout must start in the future', startText)
  return (context) => {
    const all = [...context.plan.brownouts, { start, end }].sort((one, other) => one.start - other.start)
    return checkAndSave(context, { ...context.plan, brownouts: all })
  }
}

export const listBrownouts: RetireAction =
  () =>
  ({ plan: { brownouts }, terminal, now }) => {
    if (brownouts.length === 0) terminal.err('There are no brownouts.\n')
    else terminal.out(brownouts.map((brownout) => `${describeBrownout(brownout, now)}\n`).join(''))
  }

export const removeBrownout: RetireAction = ({ args: [startText = ''] }) => {
  const start = parseStart(startText)
  return (context) => {
    const { plan } = context
    const brownouts = plan.brownouts.filter((brownout) => brownout.start !== start)
    if (brownouts.length < plan.brownouts.length) return save(context, { ...plan, brownouts })
    throw new CommandError(
      `No brownout starts at ${formatInstant(start)}: "retire brownout list" shows the starts.`,
    )
  }
}

export const exemptKey: RetireAction = ({ args: [given = ''], values: { undo } }) => {
  const id = parseKeyId(given) ?? given
  return async (context) => {
    const { plan, store, name } = context
    const others = plan.exempt.filter((other) => other !== id)
    if (undo && others.length === plan.exempt.length)
      throw new CommandError(`Key "${id}" is not exempt: "retire" shows the exempt keys.`)
    if (!undo && !(await store.keys.find(id)))
      throw new CommandError(`There is no key "${id}" in ${name}: "keys list" shows the ids.`)
    await save(context, { ...plan, exempt: undo ? others : [...others, id] })
  }
}

export const clearPlan: RetireAction = ({ values }) => {
  if (!values.yes) throw new UsageError('"retire clear" deletes the whole plan. Add --yes to confirm.')
  return (context) => save(context, NO_PLAN)
}

async function checkAndSave(context: RetireContext, plan: RetirementPlan): Promise<void> {
  const problem = findPlanProblem(datePlan(plan, context.deprecatedAt))
  if (problem !== undefined) throw new CommandError(problem)
  await save(context, plan)
}

async function save(context: RetireContext, plan: RetirementPlan): Promise<void> {
  await context.store.retirement.save(plan)
  await printPlan(context, plan)
  context.terminal.err('Every node applies this plan within seconds.\n')
}

/** Headers have whole seconds. */
const wholeSeconds = (time: number) => Math.floor(time / 1000) * 1000

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
