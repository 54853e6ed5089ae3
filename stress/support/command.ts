import { COMMAND, readUrl } from '../../test/support/cli.ts'

type Place = {
  cwd: string
  database: string
  /** Programs that run the command, such as `unshare`. */
  within?: readonly string[]
  env?: Record<string, string>
  /** Milliseconds after which the command is killed. */
  timeout?: number
}

/** Longer than any command takes. */
const TIMEOUT_MILLISECONDS = 30_000

function startCommand(args: readonly string[], place: Place) {
  const { cwd, database, within = [], env = {}, timeout = TIMEOUT_MILLISECONDS } = place
  return Bun.spawn([...within, ...COMMAND, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${database}`, PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout,
    killSignal: 'SIGKILL',
  })
}

export type Ended = { out: string; err: string; code: number | null }

export async function runCommand(args: readonly string[], place: Place): Promise<Ended> {
  const child = startCommand(args, place)
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code: child.exitCode }
}

/** Starts a server; `url` is undefined if it did not start. It is killed at the end of the block. */
export async function tryToServe(place: Place, args: readonly string[] = []) {
  const child = startCommand(['serve', ...args], {
    ...place,
    env: { TIERS: 'anonymous=unlimited', ...place.env },
  })
  let log = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  const url = await readUrl(child.stdout)
  return {
    child,
    url,
    log: () => log,
    /** Sends SIGTERM, and waits. */
    async stop(): Promise<Ended> {
      child.kill('SIGTERM')
      await Promise.all([child.exited, reading])
      return { out: '', err: log, code: child.exitCode }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** What is wrong with how a command refused its work: it must end with 1 and one sentence that names the file. */
export function refusalProblem({ err, code }: Ended, name: string): string | undefined {
  const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  const isClear = lines.length === 1 && lines[0]?.startsWith('passportd: ') && lines[0].includes(name)
  if (code === 1 && isClear) return undefined
  return code === null ? 'it hung, or was killed' : `it ended with ${code}: ${JSON.stringify(err)}`
}

/** How many requests the usage of all days counts. */
export async function countUsage(place: Place): Promise<number> {
  const days = ['--since', '2020-01-01', '--until', '2099-12-31']
  const { out } = await runCommand(['usage', '--csv', ...days], place)
  const lines = out.trim().split('\n').slice(1)
  return lines.reduce((sum, line) => sum + Number(line.split(',').at(-1)), 0)
}
