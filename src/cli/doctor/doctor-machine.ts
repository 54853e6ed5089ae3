import { readFileSync } from 'node:fs'
import { dependencies } from '../../../package.json'
import { misspeltSettings, unknownSettings } from '../../config.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import type { Terminal } from '../terminal.ts'
import { type Finding, ok, orProblem, problem, warning } from './finding.ts'

/** Fewer would do for a few hundred clients at once. */
const FEW_FILES = 4096

/** This program was not there before, and no certificate or key of today lasts so long. */
const FIRST_YEAR = 2026
const LAST_YEAR = 2100

/** Names of settings; their values are checked where they are read. */
export function examineSettings(env: Terminal['env']): Finding[] {
  const wrong = [...unknownSettings(env), ...misspeltSettings(env)]
  if (wrong.length === 0) return [ok('settings', 'No name of a setting is misspelt.')]
  return wrong.map((sentence) => warning('settings', sentence))
}

export function* examineMachine(now: number) {
  const { bun } = dependencies
  if (Bun.version === bun) yield ok('bun', `It is version ${bun}.`)
  else yield warning('bun', `It is version ${Bun.version}, and tested is ${bun}: npm install brings it.`)
  const year = new Date(now).getUTCFullYear()
  const time = `It says ${new Date(now).toISOString()}`
  if (year >= FIRST_YEAR && year < LAST_YEAR) yield ok('clock', `${time}.`)
  else yield problem('clock', `${time}: set it, and keep it in step (NTP).`)
  const limit = readOpenFileLimit()
  if (limit === undefined) return
  if (limit >= FEW_FILES) yield ok('open files', `${limit.toLocaleString('en')} may be open at once.`)
  else yield warning('open files', `Only ${limit} may be open at once: raise it (ulimit -n, LimitNOFILE=).`)
}

/** Only Linux tells. */
function readOpenFileLimit(): number | undefined {
  try {
    const text = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return text === undefined ? undefined : Number(text)
  } catch {
    return undefined
  }
}

export async function examineRules(path: string | undefined): Promise<Finding[]> {
  return orProblem('rules', async () => {
    const { version } = await loadRules(path)
    return [ok('rules', `${path ?? 'The built-in set'} is good: version ${version}.`)]
  })
}
