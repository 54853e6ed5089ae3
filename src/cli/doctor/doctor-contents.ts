import type { Config } from '../../config/config.ts'
import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { datePlan, NO_PLAN, nextChange, phaseAt } from '../../domain/retirement.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import { count, printable, size } from '../../domain/text/format.ts'
import { type DatabaseContents, type Diagnostics, MOST_OVERSIZED } from '../../store/sql/diagnostics.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MINUTE = 60_000
const SOON = 14 * 24 * 60 * MINUTE

/** Tolerated difference between the clocks of machines. */
const SLACK = 5 * MINUTE

export function* examineSchema({ schema, knownSchema, damage }: Diagnostics, full: boolean) {
  const older = `It is ${schema}, but this program needs ${knownSchema}: make a backup, then run "passportd migrate".`
  if (schema === knownSchema) yield ok('schema', `It is ${schema}, as this program needs.`)
  else yield warning('schema', older)
  yield examineIntegrity(damage, full)
}

function examineIntegrity(damage: string[] | undefined, full: boolean): Finding {
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

export function* examineContents(contents: DatabaseContents, config: Config, now: number) {
  yield ok('passports', `The database holds ${count(contents.passports, 'passport')}, including merged ones.`)
  const { copying = '' } = contents
  // The note of a complete copy has a second line.
  if (copying !== '' && !copying.includes('\n'))
    yield problem('copy', `The copy of ${copying} is incomplete: run "passportd copy" again to complete it.`)
  yield* examineSizes(contents)
  yield* examineTimes(contents, now)
  yield* examineScores(contents, now)
  yield* examineKeys(contents.keys, config, now)
  yield examinePlan(contents, config, now)
}

function* examineSizes({ oversized }: DatabaseContents) {
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

function* examineTimes({ newestRecord, lastDay, keys }: DatabaseContents, now: number) {
  const keyTimes = keys.flatMap((key) => [key.createdAt, key.lastUsedAt ?? 0])
  const latest = Math.max(newestRecord ?? 0, Date.parse(lastDay ?? '') || 0, ...keyTimes)
  const date = new Date(latest).toISOString()
  if (latest > now + SLACK)
    yield warning(
      'clock',
      `The latest record or request is of ${date}: this clock is slow, or another clock was fast.`,
    )
}

function* examineScores({ stale, stillStale, unscorable, lastScoring }: DatabaseContents, now: number) {
  const waiting = `${count(stale, 'stale score')}`
  const last =
    lastScoring === null
      ? 'no score was ever calculated'
      : `the last score was calculated ${ago(now - lastScoring)}`
  if (stale === 0) yield ok('scores', 'All scores are up to date.')
  else if (stillStale < stale) yield ok('scores', `${waiting}; a scorer is running.`)
  else
    yield warning(
      'scores',
      `${waiting}, ${last}, and no scorer is running: run "serve" or "passportd score".`,
    )
  const failed = `${count(unscorable, 'passport')} could not be scored: see the log of the scorer.`
  if (unscorable > 0) yield warning('scores', `${failed} "passportd score --all" tries again.`)
}

const ago = (milliseconds: number) =>
  `${formatDuration(Math.max(0, Math.floor(milliseconds / MINUTE) * MINUTE))} ago`

function* examineKeys(keys: readonly ApiKey[], { tiers, requireKey }: Config, now: number) {
  const active = keys.filter((key) => keyState(key, now) === 'active')
  const ending = active.filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt < now + SOON)
  const unknownTier = active.filter(({ tier }) => !tiers.some(({ name }) => name === tier))
  for (const key of ending) {
    const date = new Date(key.expiresAt ?? now).toISOString()
    const advice = `"passportd keys rotate ${key.id} --expires DATE" creates its successor`
    yield warning('keys', `${describeKey(key)} expires ${date}: ${advice}.`)
  }
  for (const key of unknownTier) {
    const tier = `has the tier ${printable(key.tier)}, which TIERS does not define`
    yield warning('keys', `${describeKey(key)} ${tier}: the limits of standard apply.`)
  }
  if (active.length === 0)
    yield requireKey
      ? warning('keys', 'A key is required, but no key is active: run "passportd keys create --name NAME".')
      : ok('keys', 'No key is active, and no key is required.')
  else if (ending.length + unknownTier.length === 0)
    yield ok('keys', `${count(active.length, 'active key')}, none of which expires within 14 days.`)
}

const describeKey = ({ id, name, owner }: ApiKey) =>
  `The key ${id} (${printable(owner === '' ? name : `${name}, ${owner}`)})`

function examinePlan({ plan = NO_PLAN }: DatabaseContents, { deprecatedAt }: Config, now: number): Finding {
  const dated = datePlan(plan, deprecatedAt)
  const next = nextChange(dated, now)
  const phase = `V1 is ${phaseAt(dated, now) === 'brownout' ? 'in a brownout' : phaseAt(dated, now)}`
  if (next === undefined) return ok('retirement', `${phase}; no change is planned.`)
  const text = `${phase}; next is ${next.to.replace('-', ' ')} at ${new Date(next.at).toISOString()}`
  return next.at < now + SOON
    ? warning('retirement', `${text}: "passportd retire report" lists the clients that still use it.`)
    : ok('retirement', `${text}.`)
}
