import { type Config, ConfigError, NAMES, readConfig } from '../../config/config.ts'
import { nameDatabase } from '../../config/database-address.ts'
import { misspeltSettings } from '../../config/misspelt-settings.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { diagnose } from '../../store/open.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../command.ts'
import { checkContents, checkIntegrity, checkSchema } from '../doctor/check-contents.ts'
import { checkFiles } from '../doctor/check-files.ts'
import { type CheckResult, ok, problem, warning } from '../doctor/check-result.ts'
import { checkRedis, checkReplica } from '../doctor/check-servers.ts'
import { describeSystemError } from '../system-error.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'find problems and suggest solutions',
  description: `Checks the settings, files, free space, schema, integrity, stale scores, sizes and keys, and whether the
    database, its replicas and Redis are available. "serve" and /ready report everything else. Changes nothing. The exit
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

function checkNames(env: Terminal['env']): CheckResult[] {
  const wrong = misspeltSettings(env, NAMES)
  if (wrong.length === 0) return [ok('settings', 'Every name is known.')]
  return wrong.map((sentence) => warning('settings', sentence))
}

async function checkAll(config: Config, full: boolean, now: number): Promise<CheckResult[]> {
  const { database, redisUrl } = config
  const replicas = database.engine === 'postgres' ? (database.readUrls ?? []) : []
  const files = database.engine === 'sqlite' ? await orProblem(() => checkFiles(database.path)) : []
  // A file that cannot be used is reported once.
  const isUsable = !files.some(({ level, about }) => level !== 'ok' && about === 'database')
  return [
    ...files,
    ...(isUsable ? await orProblem(() => checkDatabase(config, full, now)) : []),
    ...(
      await Promise.all(replicas.map((url) => orProblem(async () => [await checkReplica(url)], 'replica')))
    ).flat(),
    ...(redisUrl === undefined ? [] : [await checkRedis(redisUrl)]),
  ]
}

async function checkDatabase(config: Config, full: boolean, now: number): Promise<CheckResult[]> {
  const diagnostics = await diagnose(config.database, full)
  const { contents } = diagnostics
  return [
    ok('database', `${nameDatabase(config.database)} can be read.`),
    checkSchema(diagnostics),
    checkIntegrity(diagnostics, full),
    ...(contents ? checkContents(contents, config, now) : []),
  ]
}

/** A server that is unavailable, or a folder without permission, is a problem. */
async function orProblem(
  check: () => CheckResult[] | Promise<CheckResult[]>,
  about = 'database',
): Promise<CheckResult[]> {
  try {
    return await check()
  } catch (error) {
    return [problem(about, describeSystemError(error) ?? (error as Error).message)]
  }
}

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
