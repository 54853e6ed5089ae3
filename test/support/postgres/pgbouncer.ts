import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findProgram } from '../programs.ts'
import { succeeds, until } from '../wait-until.ts'
import { change, connect } from './connection-urls.ts'
import { guardedFolder, OWNER, writeOwned } from './postgres-files.ts'
import { findPort } from './postgres-process.ts'

/** A pooler in front of a database, stopped at the end of the block, with the settings of docs/scale.md. */
export async function startPgbouncer(databaseUrl: string, mode: 'session' | 'transaction', ignored: string) {
  const folder = guardedFolder()
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const port = await findPort()
  const file = join(folder.path, 'pgbouncer.ini')
  const users = join(folder.path, 'users')
  writeOwned(users, `"${username}" "${password}"\n`)
  writeOwned(
    file,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
${ignored}
`,
  )
  const child = spawn(findProgram('pgbouncer') as string, ['-q', file], { ...OWNER, stdio: 'ignore' })
  const exited = new Promise((done) => child.once('exit', done))
  const url = change(databaseUrl, (to) => {
    to.port = String(port)
  })
  await until(async () => {
    await using sql = connect(url)
    return await succeeds(sql`select 1`.simple())
  }, 'the pooler to answer')
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      folder[Symbol.dispose]()
    },
  }
}
