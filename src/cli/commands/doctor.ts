import { ConfigError, readConfig } from '../../config/config.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION, type Terminal } from '../command.ts'
import { type CheckResult, checkAll, checkNames, problem, warning } from '../doctor-checks.ts'
import { formatTable } from '../table.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'find problems and suggest solutions',
  description: `Checks the settings, files, free space, schema, integrity, stale scores, sizes and keys, and whether the
    database, its replicas and Redis are available. Changes nothing. The exit
    code is 1 if there are problems; warnings do not change it.`,
  options: {
    full: { about: 'also compare indexes with their tables: takes minutes for a large database' },
    ...JSON_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values }, terminal) {
    const results = checkNames(terminal.env)
    try {
      const config = readConfig(terminal.env, { ...values, checkNames: false })
      results.push(...(await checkAll(config, values.full === true, terminal.now())))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      results.push(...error.problems.map((sentence) => problem('settings', sentence)))
      results.push(warning('database', 'The database was not checked: correct the settings first.'))
    }
    report(results, values.json === true, terminal)
  },
})

function report(findings: readonly CheckResult[], asJson: boolean, terminal: Terminal): void {
  const numberOf = (level: CheckResult['level']) => findings.filter((each) => each.level === level).length
  const [problems, warnings] = [numberOf('problem'), numberOf('warning')]
  const status = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
  if (asJson) terminal.out(`${JSON.stringify({ status, findings }, null, 2)}\n`)
  else terminal.out(formatTable(findings.map(({ level, about, text }) => [level, about, text])))
  const sum = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  if (problems > 0) throw new CommandError(sum)
  terminal.err(`${sum}\n`)
}
