import { readConfig } from '../../config.ts'
import { type DatabaseAddress, nameDatabase } from '../../domain/database-address.ts'
import { NO_PLAN } from '../../domain/retirement.ts'
import { chooseAction } from '../actions.ts'
import { parseOptions } from '../args.ts'
import { openForCommand } from '../open-store.ts'
import { prepareBrownout, prepareClear, prepareExempt, prepareSet } from '../retire/retire-changes.ts'
import { RETIRE_OPTIONS, type RetireTask, type RetireValues } from '../retire/retire-options.ts'
import { prepareShow } from '../retire/retire-plan.ts'
import { prepareRehearse } from '../retire/retire-preview.ts'
import { prepareReport } from '../retire/retire-report.ts'
import type { Terminal } from '../terminal.ts'

type Action = {
  takes: readonly (keyof RetireValues)[]
  /** Checks the whole command line before a database is touched. */
  prepare: (rest: string[], values: RetireValues, now: number) => RetireTask
}

const ACTIONS: Record<string, Action> = {
  show: { takes: ['json'], prepare: prepareShow },
  set: { takes: ['deprecated', 'sunset', 'successor', 'notice', 'yes'], prepare: prepareSet },
  brownout: { takes: [], prepare: prepareBrownout },
  exempt: { takes: ['undo'], prepare: prepareExempt },
  report: { takes: ['since', 'json'], prepare: prepareReport },
  rehearse: { takes: [], prepare: prepareRehearse },
  clear: { takes: ['yes'], prepare: prepareClear },
}

/** The plan by which V1 ends. */
export async function retire(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('retire', args, RETIRE_OPTIONS, Number.POSITIVE_INFINITY)
  const [name = 'show', ...rest] = positionals
  const { prepare } = chooseAction('retire', ACTIONS, name, values)
  const task = prepare(rest, values, terminal.now())
  const config = readConfig(terminal.env, values)
  await using store = await openForCommand(withoutReplica(config.database))
  const plan = (await store.retirement.find()) ?? NO_PLAN
  await task({ ...config, store, plan, terminal, now: terminal.now(), name: nameDatabase(config.database) })
}

/** A replica may be behind: a change must build on the plan as it is. */
function withoutReplica(database: DatabaseAddress): DatabaseAddress {
  return database.engine === 'postgres' ? { engine: 'postgres', url: database.url } : database
}
