import type { RetirementPlan } from '../../domain/retirement.ts'
import type { Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, type parseOptions } from '../args.ts'
import type { Terminal } from '../terminal.ts'

export const RETIRE_OPTIONS = {
  deprecated: { type: 'string' },
  sunset: { type: 'string' },
  successor: { type: 'string' },
  notice: { type: 'string' },
  since: { type: 'string' },
  undo: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  ...DATABASE_OPTIONS,
} as const

export type RetireValues = ReturnType<typeof parseOptions<typeof RETIRE_OPTIONS>>['values']

/** What a task works with. */
export type RetireDesk = {
  store: Store
  plan: RetirementPlan
  terminal: Terminal
  now: number
  /** How messages call the database. */
  name: string
  /** For where the plan does not say. */
  deprecatedAt: number
  requireKey: boolean
}

export type RetireTask = (desk: RetireDesk) => void | Promise<void>
