import { DATABASE_OPTIONS, UsageError } from './args.ts'

/** The action of a command that was named, such as the "create" of "keys create". Refuses options of other actions. */
export function chooseAction<Action extends { takes: readonly string[] }>(
  command: string,
  actions: Readonly<Record<string, Action>>,
  name: string | undefined,
  values: object,
): Action {
  const names = Object.keys(actions)
    .join(', ')
    .replace(/, (?=\w+$)/, ' or ')
  if (name === undefined) throw new UsageError(`Say what to do: passportd ${command} ${names}.`)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new UsageError(`There is no "${command} ${name}": use ${names}.`)
  const allowed = [...Object.keys(DATABASE_OPTIONS), ...action.takes]
  const wrong = Object.keys(values).find((option) => !allowed.includes(option))
  if (wrong === undefined) return action
  throw new UsageError(`--${wrong} is not for "${command} ${name}". See "passportd ${command} --help".`)
}
