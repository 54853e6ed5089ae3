import type { Config } from '../../config.ts'
import { type ApiKey, keyState } from '../../domain/api-key.ts'
import { count, printable } from '../../domain/format.ts'
import { datePlan, NO_PLAN, nextChange, phaseAt } from '../../domain/retirement.ts'
import type { Examination, ExaminedContents } from '../../store/examine.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const DAY = 24 * 60 * 60 * 1000
const SOON = 14 * DAY

/** Clocks of machines that hand in records differ a little. */
const SLACK = 5 * 60 * 1000

export function examineSchema({ schema, knownSchema, damage }: Examination, full: boolean): Finding[] {
  return [
    schema === knownSchema
      ? ok('schema', `It is ${schema}, the one this program knows.`)
      : warning(
          'schema',
          `It is ${schema}, and this program knows ${knownSchema}: the next command that opens it brings it up to date. Make a backup first.`,
        ),
    ...examineDamage(damage, full),
  ]
}

function examineDamage(damage: string[] | undefined, full: boolean): Finding[] {
  if (damage === undefined)
    return [
      ok(
        'integrity',
        'It is left to PostgreSQL: pg_amcheck looks at tables and indexes, data checksums at pages.',
      ),
    ]
  if (damage.length > 0)
    return [
      problem(
        'integrity',
        `The file is damaged: ${damage.join('; ')}. Stop the service, keep a copy, and restore a backup ("passportd restore").`,
      ),
    ]
  return [
    ok(
      'integrity',
      full
        ? 'Every page is sound, and indexes say what their tables say.'
        : 'Every page is sound; --full also compares indexes with their tables.',
    ),
  ]
}

export function examineContents(contents: ExaminedContents, config: Config, now: number): Finding[] {
  return [
    ok('passports', `The database holds ${count(contents.passports, 'passport')}, merged ones included.`),
    ...examineCopying(contents.copying),
    ...examineTimes(contents, now),
    ...examineScores(contents, now),
    ...examineKeys(contents.keys, config, now),
    examinePlan(contents, config, now),
  ]
}

function examineCopying(note = ''): Finding[] {
  if (note === '' || note.includes('\n')) return []
  return [
    problem(
      'copy',
      `A copy of ${note} to it has not ended, and it is not served: run "passportd copy" again to its end.`,
    ),
  ]
}

/** A clock that was ahead leaves times that are still to come. */
function examineTimes({ newestRecord = 0, lastDay = '', keys }: ExaminedContents, now: number): Finding[] {
  const latest = Math.max(
    newestRecord,
    Date.parse(lastDay) || 0,
    ...keys.map((key) => Math.max(key.createdAt, key.lastUsedAt ?? 0)),
  )
  if (latest <= now + SLACK) return []
  return [
    warning(
      'clock',
      `The latest record or use is of ${new Date(latest).toISOString()}, which is still to come: this clock is behind, or another was ahead.`,
    ),
  ]
}

function examineScores(
  { stale, stillStale, setAside, lastScoring }: ExaminedContents,
  now: number,
): Finding[] {
  const findings: Finding[] = []
  const last =
    lastScoring === undefined
      ? 'none was ever worked out'
      : `the last was worked out ${ago(now - lastScoring)}`
  const waiting = `${count(stale, 'score')} ${stale === 1 ? 'waits' : 'wait'} to be worked out`
  if (stale === 0) findings.push(ok('scores', 'None waits to be worked out.'))
  else if (stillStale < stale) findings.push(ok('scores', `${waiting}, and a scorer is at it.`))
  else
    findings.push(
      warning(
        'scores',
        `${waiting}, ${last}, and no scorer is seen at work: "serve" or "passportd score" works them off.`,
      ),
    )
  if (setAside > 0)
    findings.push(
      warning(
        'scores',
        `${count(setAside, 'passport')} could not be scored: the log of the scorer says why ("passportd score --all" tries again).`,
      ),
    )
  return findings
}

function ago(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000))
  if (minutes < 2) return 'just now'
  if (minutes < 120) return `${minutes} minutes ago`
  return minutes < 48 * 60
    ? `${Math.round(minutes / 60)} hours ago`
    : `${Math.round(minutes / 60 / 24)} days ago`
}

function examineKeys(keys: readonly ApiKey[], { tiers, requireKey }: Config, now: number): Finding[] {
  const active = keys.filter((key) => keyState(key, now) === 'active')
  const findings: Finding[] = []
  for (const { id, name, owner, expiresAt, tier } of active) {
    const told = `The key ${id} (${printable(name)}${owner === '' ? '' : `, ${printable(owner)}`})`
    if (expiresAt !== undefined && expiresAt < now + SOON)
      findings.push(
        warning(
          'keys',
          `${told} ends ${new Date(expiresAt).toISOString()}: "passportd keys rotate ${id} --expires DATE" makes another.`,
        ),
      )
    if (!tiers.some((each) => each.name === tier))
      findings.push(
        warning(
          'keys',
          `${told} is of the tier ${printable(tier)}, which TIERS does not name: it has the limit of standard.`,
        ),
      )
  }
  if (requireKey && active.length === 0)
    findings.push(
      warning('keys', 'A key is required, and none works: "passportd keys create --name NAME" makes one.'),
    )
  if (findings.length > 0) return findings
  return [
    ok(
      'keys',
      active.length === 0
        ? 'None works, and none is required.'
        : `${count(active.length, 'active key')}, of which none ends within 14 days.`,
    ),
  ]
}

function examinePlan({ plan = NO_PLAN }: ExaminedContents, { deprecatedAt }: Config, now: number): Finding {
  const dated = datePlan(plan, deprecatedAt)
  const next = nextChange(dated, now)
  const phase = `V1 is ${phaseAt(dated, now) === 'brownout' ? 'in a brown-out' : phaseAt(dated, now)}`
  if (next === undefined) return ok('retirement', `${phase}; no change is planned.`)
  const text = `${phase}; next is ${next.to.replace('-', ' ')} at ${new Date(next.at).toISOString()}`
  return next.at < now + SOON
    ? warning('retirement', `${text}: "passportd retire report" tells who still calls it.`)
    : ok('retirement', `${text}.`)
}
