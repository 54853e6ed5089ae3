import { readFileSync } from 'node:fs'
import { dependencies } from '../../../package.json'
import { NAMES } from '../../config/config.ts'
import { misspeltSettings, unknownSettings } from '../../config/setting-names.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import type { AppliedRules } from '../../store/store.ts'
import type { Terminal } from '../terminal.ts'
import { type Finding, ok, orProblem, problem, warning } from './finding.ts'

/** A lower limit suffices for a few hundred concurrent clients only. */
const FEW_FILES = 4096

const FIRST_YEAR = 2026
const LAST_YEAR = 2100

/** Checks the names only; `readConfig` checks the values. */
export function examineSettings(env: Terminal['env']): Finding[] {
  const wrong = [...unknownSettings(env, NAMES), ...misspeltSettings(env, NAMES)]
  if (wrong.length === 0) return [ok('settings', 'Every name is known.')]
  return wrong.map((sentence) => warning('settings', sentence))
}

export function* examineMachine(now: number) {
  const { bun } = dependencies
  if (Bun.version === bun) yield ok('bun', `It is version ${bun}.`)
  else yield warning('bun', `It is version ${Bun.version}, but version ${bun} is tested: run npm install.`)
  const year = new Date(now).getUTCFullYear()
  const time = `It shows ${new Date(now).toISOString()}`
  if (year >= FIRST_YEAR && year < LAST_YEAR) yield ok('clock', `${time}.`)
  else yield problem('clock', `${time}: set the clock, and synchronize it (NTP).`)
  const limit = readOpenFileLimit()
  if (limit === undefined) return
  if (limit >= FEW_FILES) yield ok('open files', `${limit.toLocaleString('en')} files can be open at once.`)
  else yield warning('open files', `The limit is ${limit}: raise it (ulimit -n, LimitNOFILE=).`)
}

function readOpenFileLimit(): number | undefined {
  try {
    const text = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return text === undefined ? undefined : Number(text)
  } catch {
    // Only Linux has this file.
    return undefined
  }
}

/** Reports an invalid file only: `examineActiveRules` reports the active rule set. */
export const examineRules = (path: string | undefined): Promise<Finding[]> =>
  orProblem('rules', async () => {
    await loadRules(path)
    return []
  })

/** Compares the active rule set of the database with RULES. */
export async function examineActiveRules(
  active: AppliedRules | undefined,
  path: string | undefined,
): Promise<Finding[]> {
  const name = active ? `Rule set ${active.stamp}` : 'The built-in rule set'
  // examineRules() reports an invalid file.
  const file = path === undefined ? undefined : await loadRules(path).catch(() => undefined)
  if (!file || file.stamp === active?.stamp) return [ok('rules', `${name} is active.`)]
  const advice = 'unset RULES, or activate the file with "passportd rules apply"'
  return [warning('rules', `${name} is active, but RULES names ${file.stamp}: ${advice}.`)]
}
