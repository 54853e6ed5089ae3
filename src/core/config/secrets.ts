import { readFileSync } from 'node:fs'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings with passwords. For each, the variable NAME_FILE can name a file that contains the value. */
export const SECRETS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'MIRROR_KEY',
  'COPY_FROM_URL',
  'COPY_TO_URL',
  'SIGNING_KEYS',
]

/** Returns the text of a setting, which may be in the file that NAME_FILE names. An empty variable counts as unset. */
export function readSetting(env: Environment, name: string, problems: string[]): string {
  const text = env[name]?.trim() ?? ''
  const fileName = `${name}_FILE`
  const file = SECRETS.includes(name) ? (env[fileName]?.trim() ?? '') : ''
  if (file === '') return text
  if (text !== '') {
    problems.push(`${name} and ${fileName} are both set: unset one.`)
    return ''
  }
  try {
    const contents = readFileSync(file, 'utf8').trim()
    if (contents === '')
      problems.push(`${fileName} must be a file with a value, got an empty file "${file}".`)
    return contents
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    problems.push(`${fileName} must be a readable file, got "${file}" (${code}).`)
    return ''
  }
}
