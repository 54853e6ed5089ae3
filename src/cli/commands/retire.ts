import { readConfig } from '../../config.ts'
import { type DatabaseAddress, nameDatabase } from '../../domain/database-address.ts'
import { openForCommand } from '../open-store.ts'
import { prepareBrownout, prepareClear, prepareExempt, prepareSet } from '../retire/retire-changes.ts'
import { RETIRE_OPTIONS, type RetireTask, type RetireValues } from '../retire/retire-options.ts'
import { prepareShow } from '../retire/retire-plan.ts'
import { prepareRehearse } from '../retire/retire-rehearse.ts'
import { prepareReport } from '../retire/retire-report.ts'
import type { Terminal } from '../terminal.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../usage.ts'

type Option = keyof RetireValues
type Action = {
  takes: readonly Option[]
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
  const task = prepare(positionals, values, terminal.now())
  const config = readConfig(terminal.env, values)
  const name = nameDatabase(config.database)
  await using store = await openForCommand(withoutReplica(config.database))
  await task({ ...config, store, terminal, now: terminal.now(), name })
}

/** Checks the whole command line before a database is touched. */
function prepare([name = 'show', ...rest]: string[], values: RetireValues, now: number): RetireTask {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!action) {
    const names = Object.keys(ACTIONS).join(', ')
    throw new UsageError(`There is no "retire ${name}": use ${names.replace(/, (?=\w+$)/, ' or ')}.`)
  }
  const common = Object.keys(DATABASE_OPTIONS)
  const strange = (Object.keys(values) as Option[]).find(
    (option) => values[option] !== false && ![...common, ...action.takes].includes(option),
  )
  if (strange) {
    throw new UsageError(`--${strange} is not for "retire ${name}". See "passportd retire --help".`)
  }
  return action.prepare(rest, values, now)
}

/** A replica may be behind: a change must build on the plan as it is. */
function withoutReplica(database: DatabaseAddress): DatabaseAddress {
  return database.engine === 'postgres' ? { engine: 'postgres', url: database.url } : database
}
