import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../package.json'

export const VERSION: string = version

/** The beginning of every command line of this program, up to the name of the command. */
export const PROGRAM: string = nameProgram()

function nameProgram(): string {
  if (Bun.isStandaloneExecutable) return process.execPath
  if (!import.meta.dir.includes('node_modules')) return 'npm run -s passportd --'
  if (process.env.npm_command !== 'exec') return 'passportd'
  const file = findNpxPackage()
  // Without -y, npx asks again before each run of a file, and refuses to run it without a terminal.
  return file === undefined ? 'npx passportd' : `npx -y ${file}`
}

/** The package that npx was called with, such as a file: npx stores it beside the node_modules in its cache. */
function findNpxPackage(): string | undefined {
  const path = join(import.meta.dir, '../../../../../package.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8'))._npx?.packages?.[0] : undefined
}
