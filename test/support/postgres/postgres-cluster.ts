import { join } from 'node:path'
import { copyOwned, guardedFolder, writeOwned } from './postgres-files.ts'
import { runProgram } from './postgres-process.ts'
import { getProgram } from './postgres-programs.ts'

export const PASSWORD = 'open-sesame'

let template: Promise<string> | undefined

/** Fills a new folder with an unused cluster. A copy is ten times faster than initdb. */
export async function makeCluster(data: string): Promise<void> {
  template ??= makeTemplate()
  copyOwned(await template, data)
}

/** The built-in locale of PostgreSQL is the same on every system. */
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
