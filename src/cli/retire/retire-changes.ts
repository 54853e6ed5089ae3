import { parseKeyId } from '../../domain/api-key.ts'
import { CommandError } from '../../domain/errors.ts'
import { datePlan, findPlanProblem, NO_PLAN, type RetirementPlan } from '../../domain/retirement.ts'
import { parseDuration } from '../../domain/text/duration.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { parseWebAddress } from '../../domain/url.ts'
import { refuseExtra, UsageError, wrongArgument } from '../args.ts'
import type { RetireDesk, RetireTask, RetireValues } from './retire-options.ts'
import { describeBrownout, printPlan } from './retire-plan.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** A sunset nearer than this may be a slip. */
const NEAR = 7 * DAY
const LONGEST_BROWNOUT = 31 * DAY

export function prepareSet(rest: string[], values: RetireValues, now: number): RetireTask {
  refuseExtra('retire', rest)
  const { deprecated, sunset, successor, notice } = values
  if ([deprecated, sunset, successor, notice].every((value) => value === undefined)) {
    throw new UsageError('Say what to set: --deprecated, --sunset, --successor or --notice.')
  }
  const changes = {
    ...(deprecated !== undefined && { deprecatedAt: orNone(deprecated, parseDate('--deprecated')) }),
    ...(sunset !== undefined && { sunsetAt: orNone(sunset, parseDate('--sunset')) }),
    ...(successor !== undefined && { successor: orNone(successor, parseAddress('--successor')) }),
    ...(notice !== undefined && { notice: orNone(notice, parseAddress('--notice')) }),
  }
  const { sunsetAt } = changes
  if (typeof sunsetAt === 'number' && sunsetAt - now < NEAR && !values.yes) {
    const when = sunsetAt <= now ? 'is over: V1 is removed at once' : 'is less than 7 days away'
    throw new UsageError(`${formatInstant(sunsetAt)} ${when}. Add --yes if that is meant.`)
  }
  return (desk) => savePlan(desk, check(desk, withChanges(desk.plan, changes)))
}

export function prepareBrownout([action, ...rest]: string[], _: RetireValues, now: number): RetireTask {
  const [startText, lengthText] = rest
  refuseExtra('retire', rest.slice({ list: 0, remove: 1 }[action ?? ''] ?? 2))
  if (action === 'list') return listBrownouts
  if (action === 'add') {
    const start = parseStart(startText)
    const end = start + parseLength(lengthText)
    if (start <= now) throw new UsageError(`A brown-out must lie in the future, got "${startText}".`)
    return (desk) => {
      const all = [...desk.plan.brownouts, { start, end }].sort((one, other) => one.start - other.start)
      return savePlan(desk, check(desk, { ...desk.plan, brownouts: all }))
    }
  }
  if (action === 'remove') {
    const start = parseStart(startText)
    return (desk) => savePlan(desk, removeBrownout(desk.plan, start))
  }
  throw new UsageError('Say what to do: passportd retire brownout add, list or remove.')
}

export function prepareExempt([given, ...rest]: string[], { undo }: RetireValues): RetireTask {
  refuseExtra('retire', rest)
  if (given === undefined) throw new UsageError('Name the key: passportd retire exempt KEY_ID.')
  const id = parseKeyId(given) ?? given
  if (undo) return (desk) => savePlan(desk, withoutExemption(desk.plan, id))
  return async (desk) => {
    if (!(await desk.store.keys.find(id))) {
      throw new CommandError(`There is no key "${id}" in ${desk.name}: "keys list" shows the ids.`)
    }
    await savePlan(desk, { ...desk.plan, exempt: [...new Set([...desk.plan.exempt, id])] })
  }
}

export function prepareClear(rest: string[], { yes }: RetireValues): RetireTask {
  refuseExtra('retire', rest)
  if (!yes) throw new UsageError('"retire clear" gives up the whole plan. Add --yes if that is meant.')
  return (desk) => savePlan(desk, NO_PLAN)
}

async function savePlan(desk: RetireDesk, plan: RetirementPlan): Promise<void> {
  await desk.store.retirement.save(plan)
  await printPlan(desk, plan)
  desk.terminal.err('Every node obeys this plan within seconds.\n')
}

function check({ deprecatedAt }: RetireDesk, plan: RetirementPlan): RetirementPlan {
  const problem = findPlanProblem(datePlan(plan, deprecatedAt))
  if (problem !== undefined) throw new CommandError(problem)
  return plan
}

type Changes = {
  [Name in 'deprecatedAt' | 'sunsetAt' | 'successor' | 'notice']?: RetirementPlan[Name] | null
}

/** What is null is taken back. */
function withChanges(plan: RetirementPlan, changes: Changes): RetirementPlan {
  const all = Object.entries({ ...plan, ...changes })
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as RetirementPlan
}

function listBrownouts({ plan: { brownouts }, terminal, now }: RetireDesk): void {
  if (brownouts.length === 0) terminal.err('There are no brown-outs.\n')
  else terminal.out(brownouts.map((brownout) => `${describeBrownout(brownout, now)}\n`).join(''))
}

function removeBrownout(plan: RetirementPlan, start: number): RetirementPlan {
  const brownouts = plan.brownouts.filter((brownout) => brownout.start !== start)
  if (brownouts.length < plan.brownouts.length) return { ...plan, brownouts }
  throw new CommandError(
    `No brown-out begins at ${formatInstant(start)}: "retire brownout list" shows when they do.`,
  )
}

function withoutExemption(plan: RetirementPlan, id: string): RetirementPlan {
  if (plan.exempt.includes(id)) return { ...plan, exempt: plan.exempt.filter((other) => other !== id) }
  throw new CommandError(`Key "${id}" is not exempt: "retire" shows those that are.`)
}

const orNone = <T>(text: string, parse: (text: string) => T): T | null =>
  text.trim().toLowerCase() === 'none' ? null : parse(text.trim())

const parseDate = (option: string) => (text: string) =>
  parseTime(text, `${option} must be a day or an instant such as 2027-01-31T12:00Z, or none`)

const parseAddress = (option: string) => (text: string) => {
  const address = parseWebAddress(text)
  if (address !== undefined) return address
  throw wrongArgument(`${option} must be an address such as https://example.com/v2, or none`, text)
}

/** In whole seconds: headers have no parts of one. */
function parseTime(text: string | undefined, wanted: string): number {
  const time = text === undefined ? undefined : parseInstant(text)
  if (time !== undefined) return Math.floor(time / 1000) * 1000
  throw wrongArgument(wanted, text)
}

const parseStart = (text: string | undefined) =>
  parseTime(text, 'Say when it begins, such as 2026-12-01T09:00Z')

function parseLength(text: string | undefined): number {
  const length = text === undefined ? undefined : parseDuration(text)
  if (length !== undefined && length >= MINUTE && length <= LONGEST_BROWNOUT) return length
  throw wrongArgument('Say how long it lasts, from 1m to 31d, such as 2h', text)
}
