import type { Config } from '../../config/config.ts'
import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { count, printable, size } from '../../domain/text/counts-and-sizes.ts'
import { type DatabaseContents, type Diagnostics, MOST_OVERSIZED } from '../../store/sql/diagnostics.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'

const SOON = 14 * 24 * 3_600_000

export function checkSchema({ schema, knownSchema }: Diagnostics): CheckResult {
  if (schema === knownSchema) return ok('schema', `It is ${schema}, as this program needs.`)
  const needs = `It is ${schema}, but this program needs ${knownSchema}`
  return warning('schema', `${needs}: make a backup, then run "passportd migrate".`)
}

export function checkIntegrity({ damage }: Diagnostics, full: boolean): CheckResult {
  if (damage === undefined)
    return ok('integrity', 'Use the tools of PostgreSQL: pg_amcheck and data checksums.')
  if (damage.length > 0) {
    const advice = 'Stop the service, keep a copy, and restore a backup ("passportd restore")'
    return problem('integrity', `The file is damaged: ${damage.join('; ')}. ${advice}.`)
  }
  return full
    ? ok('integrity', 'Every page is valid, and indexes agree with their tables.')
    : ok('integrity', 'Every page is valid; --full also compares indexes with their tables.')
}

export function* checkContents(contents: DatabaseContents, config: Config, now: number) {
  yield ok('passports', `The database holds ${count(contents.passports, 'passport')}, including merged ones.`)
  yield* checkSizes(contents)
  yield* checkScores(contents)
  yield* checkKeys(contents.keys, config, now)
}

function* checkSizes({ oversized }: DatabaseContents) {
  if (oversized.length === 0) return
  const shown = oversized.slice(0, MOST_OVERSIZED).map(({ id, bytes }) => `${id} (${size(bytes)})`)
  const isMore = oversized.length > MOST_OVERSIZED
  const passports = count(shown.length, 'passport')
  const subject = isMore ? `More than ${passports} are` : `${passports} ${shown.length === 1 ? 'is' : 'are'}`
  yield warning(
    'sizes',
    `${subject} larger than records may be: ${shown.join(', ')}. Lists with them need more memory: import shorter records (docs/records.md), or remove them.`,
  )
}

function* checkScores({ stale, stillStale, unscorable }: DatabaseContents) {
  const waiting = count(stale, 'stale score')
  if (stale === 0) yield ok('scores', 'All scores are up to date.')
  else if (stillStale < stale) yield ok('scores', `${waiting}; a scorer is running.`)
  else yield warning('scores', `${waiting}, and no scorer is running: run "serve" or "passportd score".`)
  const failed = `${count(unscorable, 'passport')} could not be scored: see the log of the scorer.`
  if (unscorable > 0) yield warning('scores', `${failed} "passportd score --all" tries again.`)
}

function* checkKeys(keys: readonly ApiKey[], { tiers }: Config, now: number) {
  const active = keys.filter((key) => keyState(key, now) === 'active')
  const hasTier = ({ tier }: ApiKey) => tiers.some(({ name }) => name === tier)
  for (const key of active) {
    const { id, name, owner, tier, expiresAt = Number.POSITIVE_INFINITY } = key
    const subject = `The key ${id} (${printable(owner === '' ? name : `${name}, ${owner}`)})`
    if (expiresAt < now + SOON)
      yield warning(
        'keys',
        `${subject} expires ${new Date(expiresAt).toISOString()}: "passportd keys rotate ${id} --expires DATE" creates its successor.`,
      )
    if (!hasTier(key))
      yield warning(
        'keys',
        `${subject} has the tier ${printable(tier)}, which TIERS does not define: the limits of standard apply.`,
      )
  }
}
