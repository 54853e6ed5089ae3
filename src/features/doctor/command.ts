import { resolve } from 'node:path'
import type { Awaitable } from '../../core/basics/awaitable.ts'
import { CommandError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import { askHealth } from '../../core/cli/ask-health.ts'
import { type CheckResult, ok, problem, warning } from '../../core/cli/check-result.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION, type Terminal } from '../../core/cli/command.ts'
import { describeSystemError } from '../../core/cli/system-error.ts'
import { formatTable } from '../../core/cli/table.ts'
import { secretProblems } from '../../core/config/check-secrets.ts'
import { type Config, ConfigError, NAMES, readConfig } from '../../core/config/config.ts'
import { ENV_FILE, readEnvFile, unknownNames } from '../../core/config/environment.ts'
import { misspeltSettings } from '../../core/config/misspelt-settings.ts'
import { type ApiKey, keyState } from '../../core/store/api-key.ts'
import { nameDatabase, namePostgres } from '../../core/store/database-address.ts'
import { SCHEMA } from '../../core/store/schema.ts'
import type { Feature } from '../../feature.ts'
import { checkFiles } from './check-files.ts'
import { checkErasure, describeLeftover, findLeftovers } from './find-remains.ts'
import { type DatabaseContents, type Diagnostics, diagnose, findReplicaSchema } from './statements.ts'

export const createDoctor = (features: readonly Feature[]) =>
  defineCommand({
    name: 'doctor',
    summary: 'find problems and suggest solutions',
    description: `Checks the settings, files, free space, schema, integrity, stale scores and keys, and whether the
    database and its replica are available. Changes nothing. The exit
    code is 1 if there are problems; warnings do not change it.`,
    options: {
      full: { about: 'also compare indexes with their tables: takes minutes for a large database' },
      ...JSON_OPTION,
      health: {
        about: 'check only that the server on HOST and PORT responds: the health check of a container',
      },
      erasure: {
        about: 'check only where data of removed people is left: old rows, statistics, WAL, backups',
      },
      ...DATABASE_OPTIONS,
    },
    forms: [
      { options: ['full', 'json'] },
      { required: ['health'], options: [] },
      { required: ['erasure'], options: ['json'] },
    ],
    async run({ values }, terminal) {
      if (values.health) return checkHealth(readConfig(terminal.env, { ...values, checkNames: false }))
      const results = values.erasure ? [] : checkNames(terminal.env)
      try {
        const config = readConfig(terminal.env, { ...values, checkNames: false })
        const check = async () => [
          ...secretProblems(terminal.env, config).map((sentence) => warning('secrets', sentence)),
          ...(await checkAll(config, values.full === true, terminal.now())),
          ...(await checkFeatures(features, config)),
        ]
        results.push(...(await (values.erasure ? orProblem(() => checkErasure(config)) : check())))
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        results.push(...error.problems.map((sentence) => problem('settings', sentence)))
        results.push(warning('database', 'The database was not checked: correct the settings first.'))
      }
      report(results, values.json === true, terminal)
    },
  })

async function checkHealth(config: Config): Promise<void> {
  const status = await askHealth(config)
  if (status !== 200) throw new CommandError(`/health on ${config.host}:${config.port} responded ${status}.`)
}

function report(findings: readonly CheckResult[], asJson: boolean, terminal: Terminal): void {
  const numberOf = (level: CheckResult['level']) =>
    findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [numberOf('problem'), numberOf('warning')]
  const status = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
  if (asJson) terminal.out(toJsonText({ status, findings }, 2))
  else terminal.out(formatTable(findings.map(({ level, about, text }) => [level, about, text])))
  const sum = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  if (problems > 0) throw new CommandError(sum)
  terminal.err(`${sum}\n`)
}

function checkNames(env: Terminal['env']): CheckResult[] {
  const file = readEnvFile()
  const unknown = unknownNames(file).map(
    (name) => `${ENV_FILE}: ${name} is not a setting, and has no effect.`,
  )
  const wrong = [...misspeltSettings(env, NAMES), ...unknown]
  const variables = Object.keys(file).length
  return [
    ...(variables === 0
      ? []
      : [ok('settings', `${resolve(ENV_FILE)} was read (${count(variables, 'variable')}).`)]),
    ...wrong.map((sentence) => warning('settings', sentence)),
    ...(wrong.length === 0 ? [ok('settings', 'Every name is known.')] : []),
  ]
}

async function checkAll(config: Config, full: boolean, now: number): Promise<CheckResult[]> {
  const { database, backups } = config
  const { readUrl } = { readUrl: undefined, ...database }
  const files = database.engine === 'sqlite' ? await orProblem(() => checkFiles(database.path)) : []
  // A database file with a problem is not opened, so that the problem is reported only once.
  const isUsable = !files.some(({ level, about }) => level !== 'ok' && about === 'database')
  return [
    ...files,
    ...(database.engine === 'sqlite' ? checkLeftovers(database.path, backups?.folder) : []),
    ...(isUsable ? await orProblem(() => checkDatabase(config, full, now)) : []),
    ...(readUrl === undefined ? [] : await orProblem(() => checkReplica(readUrl), 'replica')),
  ]
}

const checkLeftovers = (path: string, backupFolder: string | undefined) =>
  findLeftovers(path, backupFolder).map((file) => warning('files', describeLeftover(file)))

async function checkFeatures(features: readonly Feature[], config: Config): Promise<CheckResult[]> {
  const results = features.map(async ({ checks, name }) => {
    const check = await checks?.()
    return check ? orProblem(() => check(config), name) : []
  })
  return (await Promise.all(results)).flat()
}

async function checkDatabase(config: Config, full: boolean, now: number): Promise<CheckResult[]> {
  const diagnostics = await diagnose(config.database, full)
  const { contents } = diagnostics
  return [
    ok('database', `${nameDatabase(config.database)} can be read.`),
    checkSchemaVersion(diagnostics),
    checkIntegrity(diagnostics, full),
    ...(contents ? checkContents(contents, config, now) : []),
  ]
}

/**
 * Returns the results of a check. An error, such as an unavailable server or a missing permission, becomes a problem.
 */
async function orProblem(
  check: () => Awaitable<readonly CheckResult[]>,
  about = 'database',
): Promise<readonly CheckResult[]> {
  try {
    return await check()
  } catch (error) {
    return [problem(about, describeSystemError(error) ?? (error as Error).message)]
  }
}

const SOON = 14 * 24 * 3_600_000

function checkSchemaVersion({ schema, knownSchema }: Diagnostics): CheckResult {
  if (schema === knownSchema) return ok('schema', `It is ${schema}, as this program needs.`)
  const needs = `It is ${schema}, but this program needs ${knownSchema}`
  return warning('schema', `${needs}: make a backup, then run "${PROGRAM} migrate".`)
}

function checkIntegrity({ damage }: Diagnostics, full: boolean): CheckResult {
  if (damage === undefined)
    return ok('integrity', 'Use the tools of PostgreSQL: pg_amcheck and data checksums.')
  if (damage.length > 0) {
    const advice = `Stop the service, keep a copy, and restore a backup ("${PROGRAM} restore")`
    return problem('integrity', `The file is damaged: ${damage.join('; ')}. ${advice}.`)
  }
  return full
    ? ok('integrity', 'Every page is valid, and indexes agree with their tables.')
    : ok('integrity', 'Every page is valid; --full also compares indexes with their tables.')
}

function* checkContents(contents: DatabaseContents, config: Config, now: number) {
  yield ok('passports', `The database holds ${count(contents.passports, 'passport')}, including merged ones.`)
  yield* checkScores(contents)
  yield* checkKeys(contents.keys, config, now)
}

function* checkScores({ stale, stillStale, unscorable }: DatabaseContents) {
  const waiting = count(stale, 'stale score')
  if (stale === 0) yield ok('scores', 'All scores are up to date.')
  else if (stillStale < stale) yield ok('scores', `${waiting}; a scorer is running.`)
  else yield warning('scores', `${waiting}, and no scorer is running: run "serve" or "${PROGRAM} score".`)
  const failed = `${count(unscorable, 'passport')} could not be scored: see the log of the scorer.`
  if (unscorable > 0) yield warning('scores', `${failed} "${PROGRAM} score --all" tries again.`)
}

function* checkKeys(keys: readonly ApiKey[], { tiers }: Config, now: number) {
  const active = keys.filter((key) => keyState(key, now) === 'active')
  for (const key of active) {
    const { id, name, owner, tier, isSeenInBrowser, expiresAt = Number.POSITIVE_INFINITY } = key
    const subject = `The key ${id} (${printable(owner === '' ? name : `${name}, ${owner}`)})`
    if (expiresAt < now + SOON)
      yield warning(
        'keys',
        `${subject} expires ${new Date(expiresAt).toISOString()}: "${PROGRAM} keys rotate ${id} --expires DATE" creates its successor.`,
      )
    if (!tiers.some((known) => known.name === tier))
      yield warning(
        'keys',
        `${subject} has the tier ${printable(tier)}, which TIERS does not define: the limits of standard apply.`,
      )
    if (isSeenInBrowser)
      yield warning(
        'keys',
        `${subject} was sent from a web page, whose visitors can copy it: use a publishable key there ("${PROGRAM} keys create --publishable"), and rotate this one ("${PROGRAM} keys rotate ${id}").`,
      )
  }
}

async function checkReplica(url: string): Promise<CheckResult[]> {
  const schema = await findReplicaSchema(url)
  const name = namePostgres(url)
  if (schema === SCHEMA) return [ok('replica', `${name} is available.`)]
  const needs = `The schema of ${name} is ${schema}, but this program needs ${SCHEMA}`
  return [problem('replica', `${needs}: is it a replica of this primary?`)]
}
