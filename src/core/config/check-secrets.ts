import { statSync } from 'node:fs'
import { hidePassword } from '../store/database-address.ts'
import type { Config } from './config.ts'
import { ENV_FILE, readEnvFile } from './environment.ts'
import { type Environment, SECRETS } from './secrets.ts'

/** A sentence for each file with secrets that other users can read or change, and for keys that have no effect. */
export function secretProblems(env: Environment, { signingKeys, publicUrl }: Config): string[] {
  const names = [...SECRETS.map((name) => `${name}_FILE`), 'TLS_KEY']
  const files = names.map((name) => ({ name, path: env[name]?.trim() ?? '' }))
  const problems = files.filter(({ path }) => isOpen(path, 0o027)).map(describeOpenFile)
  const envFile = readEnvFile()
  const isSecret = SECRETS.some((name) => hasSecret(name, envFile[name] ?? ''))
  if (isOpen(ENV_FILE, isSecret ? 0o026 : 0o022))
    problems.push(describeOpenFile({ name: 'settings', path: ENV_FILE }))
  if (signingKeys !== undefined && publicUrl === undefined)
    problems.push(
      'Signatures need PUBLIC_URL: without it, only requests to a loopback address get signed scores.',
    )
  return problems
}

/** The group may be that of the service, and so may read secrets. */
const isOpen = (path: string, bits: number) =>
  process.platform !== 'win32' &&
  ((statSync(path || '.none', { throwIfNoEntry: false })?.mode ?? 0) & bits) !== 0

const describeOpenFile = ({ name, path }: { name: string; path: string }) =>
  `Other users can read or write ${path} (${name}): chmod 600 ${path}.`

/** A URL has a secret if it has a password. */
const hasSecret = (name: string, text: string) =>
  name.endsWith('_URL') ? hidePassword(text) !== text : text !== ''
