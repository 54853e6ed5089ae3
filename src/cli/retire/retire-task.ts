import { CommandError } from '../../domain/errors.ts'
import { datePlan, findPlanProblem, type RetirementPlan } from '../../domain/retirement.ts'
import type { Store } from '../../store/store.ts'
import type { RetireValues } from '../commands/retire.ts'
import type { Terminal } from '../terminal.ts'
import { printPlan } from './retire-plan.ts'

export type RetireInput = { values: RetireValues; args: string[]; now: number }

export type RetireContext = {
  store: Store
  plan: RetirementPlan
  terminal: Terminal
  now: number
  /** The database's name in messages. */
  name: string
  deprecatedAt: number | undefined
  requireKey: boolean
}

export type RetireTask = (context: RetireContext) => void | Promise<void>

export async function savePlan(context: RetireContext, plan: RetirementPlan): Promise<void> {
  await context.store.retirement.save(plan)
  await printPlan(context, plan)
  context.terminal.err('Every node applies this plan within seconds.\n')
}

export async function checkAndSave(context: RetireContext, plan: RetirementPlan): Promise<void> {
  const problem = findPlanProblem(datePlan(plan, context.deprecatedAt))
  if (problem !== undefined) throw new CommandError(problem)
  await savePlan(context, plan)
}

/** Headers have whole seconds. */
export const wholeSeconds = (time: number) => Math.floor(time / 1000) * 1000
