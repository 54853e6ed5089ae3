import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../test/support/cli.ts'
import { findPort } from '../../../test/support/postgres/postgres-process.ts'
import { childrenOf, parentOf } from '../../../test/support/process-info.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { until } from '../../../test/support/wait-until.ts'

export type Cluster = Awaited<ReturnType<typeof startCluster>>

type Member = { name: string; role: string; state: string; api_url: string }

const SCRIPT = join(import.meta.dir, '../../../deploy/ha/start.sh')

/** Starts deploy/ha on free ports. */
export async function startCluster() {
  using made = new DisposableStack()
  const { path } = made.use(tempFolder())
  const [port, first] = [await findPort(), await findPort()]
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: `${port}`,
    FIRST_PORT: `${first}`,
    TIERS: 'anonymous=unlimited',
  }
  const child = Bun.spawn([SCRIPT, path], { env, stdout: 'pipe', stderr: 'inherit' })
  const DATABASE_URL = await readDatabaseUrl(child.stdout)
  const command = async (...args: string[]) => {
    const { out, err, code } = await run(args, { cwd: path, env: { DATABASE_URL } })
    const log = () => readFileSync(join(path, 'haproxy.log'), 'utf8').slice(-2000)
    if (code !== 0) throw new Error(`passportd ${args[0]} failed: ${err}${log()}`)
    return out.trim()
  }
  /** Asks each Patroni, because a frozen one does not respond. */
  const list = async (): Promise<Member[]> => {
    const urls = [1, 2].map((n) => `http://127.0.0.1:${first + 10 * n + 1}/cluster`)
    const asked = urls.map(async (url) => (await fetch(url, { signal: AbortSignal.timeout(1000) })).json())
    const { members } = await Promise.any(asked).catch(() => ({ members: [] }))
    return members
  }
  const kept = made.move()
  return {
    url: `http://127.0.0.1:${port}`,
    nodes: [1, 2].map((n) => {
      const at = first + 100 + 10 * n
      return { url: `http://127.0.0.1:${at}`, metrics: `http://127.0.0.1:${at + 1}/metrics` }
    }),
    key: await command(
      'keys',
      'create',
      '--name',
      'writer',
      '--tier',
      'unlimited',
      '--scope',
      'read,write:*',
    ),
    export: () => command('export'),
    /** Waits for a leader with a synchronous standby, and returns the leader. */
    async untilSynchronous() {
      let members: Member[] = []
      await until(async () => {
        members = await list()
        return (
          members.some(({ role }) => role === 'leader') && members.some(({ role }) => role === 'sync_standby')
        )
      }, 'a synchronous standby').catch(async (error) => {
        const logs = await Bun.$`tail -n 20 ${path}/member-1.log ${path}/member-2.log`.text()
        throw new Error(`${JSON.stringify(members)}\n${logs}`, { cause: error })
      })
      const { name = '' } = members.find(({ role }) => role === 'leader') ?? {}
      const readPid = (file: string) => Number.parseInt(readFileSync(join(path, file), 'utf8'), 10)
      return {
        name,
        processes() {
          const postmaster = readPid(`db/${name}/postmaster.pid`)
          const patroni = readPid(`${name}.pid`)
          // The postmaster is first, because it would start its children again.
          return { supervisor: parentOf(patroni), patroni, postgres: [postmaster, ...childrenOf(postmaster)] }
        },
      }
    },
    hasOtherLeader: async (old: string) =>
      (await list()).some(({ name, role }) => role === 'leader' && name !== old),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      kept.dispose()
    },
  }
}

async function readDatabaseUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const file = /For commands: \. (\S+)\n/.exec(text)?.[1]
    if (file) return /DATABASE_URL=(\S+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  }
  throw new Error(`deploy/ha/start.sh has ended: ${text}`)
}
