import { readFileSync } from 'node:fs'
import { dependencies } from '../../../package.json'
import { misspeltSettings, unknownSettings } from '../../config.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import type { Terminal } from '../terminal.ts'
import { type Finding, ok, orProblem, problem, warning } from './finding.ts'

/** Fewer would do for a few hundred callers at once. */
const FEW_FILES = 4096

/** This program was not there before, and no certificate or key of today lasts so long. */
const FIRST_YEAR = 2026
const LAST_YEAR = 2100

/** What is set beside the settings; whether these themselves are right is told where they are read. */
export function examineSettings(env: Terminal['env']): Finding[] {
  const strange = [...unknownSettings(env), ...misspeltSettings(env)]
  return strange.length > 0
    ? strange.map((sentence) => warning('settings', sentence))
    : [ok('settings', 'No name of a setting is misspelt.')]
}

export function examineMachine(now: number): Finding[] {
  const year = new Date(now).getUTCFullYear()
  const time = new Date(now).toISOString()
  return [
    Bun.version === dependencies.bun
      ? ok('bun', `It is version ${Bun.version}.`)
      : warning(
          'bun',
          `It is version ${Bun.version}, and ${dependencies.bun} is what this was tested with: npm install brings it.`,
        ),
    year < FIRST_YEAR || year >= LAST_YEAR
      ? problem('clock', `It says ${time}: set it, and keep it in step (NTP).`)
      : ok('clock', `It says ${time}.`),
    ...examineOpenFiles(),
  ]
}

function examineOpenFiles(): Finding[] {
  const limit = readLimit()
  if (limit === undefined) return []
  return [
    limit < FEW_FILES
      ? warning(
          'open files',
          `Only ${limit} may be open at once, connections included: raise it (ulimit -n, LimitNOFILE=).`,
        )
      : ok('open files', `${limit.toLocaleString('en')} may be open at once.`),
  ]
}

/** Only Linux tells. */
function readLimit(): number | undefined {
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
