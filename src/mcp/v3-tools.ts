import { findDiff, parseTimes } from '../api/v3/diff.ts'
import { parsePast } from '../api/v3/instants.ts'
import { ambiguous, noPassport, parseKey } from '../api/v3/passports.ts'
import { findAt, readAll } from '../api/v3/read-passports.ts'
import { parsePassportKey } from '../domain/passport-key.ts'
import type { PassportV3 } from '../domain/v3/passport.ts'
import { presentPassport } from '../domain/v3/present.ts'
import {
  type Arguments,
  LookupArguments,
  parseKeys,
  parseKeyText,
  parseText,
  ScoreAtArguments,
  WhatChangedArguments,
} from './arguments.ts'
import { sanitize } from './format.ts'
import { LookupResult, MAX_LIST, ScoreAtResult, WhatChangedResult } from './result-schemas.ts'
import { summaryOf } from './summary.ts'
import type { Tool, ToolContext } from './tool.ts'

export const V3_TOOLS: Readonly<Record<string, Tool>> = {
  lookup_passports: {
    title: 'Look up passports',
    description: `Returns the scores of up to ${MAX_LIST} passports by id, wallet or handle, in order.`,
    inputSchema: LookupArguments,
    outputSchema: LookupResult,
    call: lookUp,
  },
  score_at: {
    title: 'Score at a time',
    description: 'Returns the score and the credentials of one passport as of a time in the past.',
    inputSchema: ScoreAtArguments,
    outputSchema: ScoreAtResult,
    call: scoreAt,
  },
  what_changed: {
    title: 'What changed a score',
    description: 'Explains why the score of one passport changed between two times.',
    inputSchema: WhatChangedArguments,
    outputSchema: WhatChangedResult,
    call: whatChanged,
  },
}

async function lookUp(args: Arguments, { store, config }: ToolContext): Promise<LookupResult> {
  const keys = parseKeys(args)
  const parsed = keys.map(parsePassportKey)
  const found = await Array.fromAsync(
    readAll(
      parsed.filter((key) => key !== undefined),
      (some) => store.v3.find(some, { credentials: false }),
      () => undefined,
    ),
  )
  const items = keys.map((key, at): LookupResult['items'][number] => {
    const shown = sanitize(key, 128)
    if (!parsed[at]) return { key: shown, error: 'malformed' }
    const result = found.shift()
    if (!result) return { key: shown, error: 'not_found' }
    if ('candidates' in result) return { key: shown, error: 'ambiguous', candidates: result.candidates }
    return { key: shown, passport: scoresOf(result.passport, config) }
  })
  return { found: items.filter(({ passport }) => passport).length, items }
}

async function scoreAt(args: Arguments, { store, config, now }: ToolContext): Promise<ScoreAtResult> {
  const key = parseKeyText('passport', args.passport)
  const time = parsePast('as_of', parseText('as_of', args.as_of), now())
  const [found] = await findAt({ store }, [parseKey(key)], { credentials: true }, time)
  if (!found) throw noPassport(key, time)
  if ('candidates' in found) throw ambiguous(key, found.candidates)
  const { passport } = found
  const all = presentPassport(passport, {}).credentials ?? []
  const credentials = all.slice(0, MAX_LIST).map(({ type, name, category, score, max_score, value }) => ({
    type: sanitize(type, 100),
    name: sanitize(name, 100),
    category: sanitize(category, 50),
    score,
    max_score,
    value: value === null ? null : sanitize(value, 200),
  }))
  return {
    ...scoresOf(passport, config),
    as_of: new Date(time).toISOString(),
    total: all.length,
    credentials,
  }
}

async function whatChanged(args: Arguments, { store, now }: ToolContext): Promise<WhatChangedResult> {
  const key = parseKeyText('passport', args.passport)
  const from = parseText('from', args.from)
  const to = args.to ?? null
  const times = parseTimes(to === null ? { from } : { from, to: parseText('to', to) }, now())
  const diff = await findDiff({ store }, key, times)
  const causes = diff.causes.slice(0, MAX_LIST).map(({ type, ...cause }) => ({
    ...cause,
    type: type === null ? null : sanitize(type, 100),
  }))
  return { ...diff, causes, total: diff.causes.length }
}

function scoresOf(passport: PassportV3, config: ToolContext['config']) {
  const { activity_score, identity_score, skills_score, human_checkmark, rules } = presentPassport(
    passport,
    {},
  )
  return {
    ...summaryOf(passport, config),
    activity_score,
    identity_score,
    skills_score,
    human_checkmark,
    rules: rules === null ? null : sanitize(rules, 100),
  }
}
