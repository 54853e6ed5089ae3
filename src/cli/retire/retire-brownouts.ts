import { CommandError } from '../../domain/errors.ts'
import type { RetirementPlan } from '../../domain/retirement.ts'
import { parseDuration } from '../../domain/text/duration.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { invalidValue } from '../command.ts'
import { describeBrownout } from './retire-plan.ts'
import { checkAndSave, type RetireInput, type RetireTask, savePlan, wholeSeconds } from './retire-task.ts'

const [SHORTEST, LONGEST] = [60_000, 31 * 86_400_000]

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
