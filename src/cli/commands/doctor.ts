import { type Config, ConfigError, readConfig } from '../../config/config.ts'
import { nameDatabase } from '../../config/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/format.ts'
import { diagnose } from '../../store/open.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../command.ts'
import { examineContents, examineSchema } from '../doctor/doctor-contents.ts'
import { examineFiles, examineMigration } from '../doctor/doctor-files.ts'
import {
  examineActiveRules,
  examineMachine,
  examineRules,
  examineSettings,
} from '../doctor/doctor-machine.ts'
import { checkRedis, checkReplica, compareClock } from '../doctor/doctor-servers.ts'
import { type Finding, ok, orProblem, problem, warning } from '../doctor/finding.ts'
import { describeSystemError } from '../system-error.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'find problems and suggest solutions',
  description: `Checks the settings, rule sets, files, schema, integrity, free space, clock, stale scores, keys, the
    retirement of V1, replicas and Redis. Changes nothing. The exit code is 1 if there are problems; warnings do not change it.`,
  options: {
    full: { about: 'also compare indexes with their tables: takes minutes for a large database' },
    ...JSON_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values }, terminal) {
    const findings = [...examineSettings(terminal.env), ...examineMachine(terminal.now())]
    try {
      // examineSettings() reports the names.
      const config = readConfig(terminal.env, { ...values, checkNames: false })
      findings.push(...(await examineAll(config, values.full === true, terminal.now)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      findings.push(...error.problems.map((sentence) => problem('settings', sentence)))
      findings.push(warning('database', 'The database was not checked: correct the settings first.'))
    }
    report(findings, values.json === true, terminal)
  },
})

async function examineAll(config: Config, full: boolean, now: () => number): Promise<Finding[]> {
  const { database, redisUrl } = config
  const findings = await examineRules(config.rules)
  const files =
    database.engine === 'sqlite' ? examineReachable(database.path) : { isReadable: true, findings: [] }
  findings.push(...files.findings)
  if (files.isReadable)
    findings.push(...(await orProblem('database', () => examineDatabase(config, full, now))))
  if (database.engine === 'postgres') {
    for (const readUrl of database.readUrls ?? [])
      findings.push(...(await orProblem('replica', async () => [await checkReplica(readUrl, database)])))
  }
  if (redisUrl !== undefined) findings.push(...(await checkRedis(redisUrl, now)))
  return findings
}

/** A folder without permission is a finding, too. */
function examineReachable(path: string): ReturnType<typeof examineFiles> {
  try {
    return examineFiles(path)
  } catch (error) {
    const text = describeSystemError(error)
    if (text === undefined) throw error
    return { isReadable: false, findings: [problem('database', text)] }
  }
}

async function examineDatabase(config: Config, full: boolean, now: () => number): Promise<Finding[]> {
  const examination = await diagnose(config.database, full)
  const { contents, clock } = examination
  return [
    ok('database', `${nameDatabase(config.database)} can be read.`),
    ...examineSchema(examination, full),
    ...examineMigration(config.database, examination),
    ...(contents ? examineContents(contents, config, now()) : []),
    ...(contents ? await examineActiveRules(contents.rules, config.rules) : []),
    ...(clock === undefined ? [] : [compareClock('PostgreSQL', clock, now())]),
  ]
}

function report(findings: readonly Finding[], asJson: boolean, terminal: Terminal): void {
  const numberOf = (level: Finding['level']) => findings.filter((each) => each.level === level).length
  const [problems, warnings] = [numberOf('problem'), numberOf('warning')]
  const status = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
  if (asJson) terminal.out(`${JSON.stringify({ status, findings }, null, 2)}\n`)
  else terminal.out(formatTable(findings.map(({ level, about, text }) => [level, about, text])))
  const sum = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  if (problems > 0) throw new CommandError(sum)
  terminal.err(`${sum}\n`)
}
