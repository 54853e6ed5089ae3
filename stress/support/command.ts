import { COMMAND, readUrl } from '../../test/support/cli.ts'
import { problemsIn } from '../../test/support/log-lines.ts'

export type CommandOptions = {
  cwd: string
  database: string
  /** Programs that run the command, such as `unshare`. */
  wrapper?: readonly string[]
  env?: Record<string, string>
  /** Milliseconds after which the command is killed. */
  timeout?: number
}

/** The default timeout, longer than any command takes. */
const TIMEOUT_MILLISECONDS = 120_000

function startCommand(args: readonly string[], options: CommandOptions) {
  const { cwd, database, wrapper = [], env = {}, timeout = TIMEOUT_MILLISECONDS } = options
  return Bun.spawn([...wrapper, ...COMMAND, ...args], {
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

export async function runCommand(args: readonly string[], options: CommandOptions): Promise<Ended> {
  const child = startCommand(args, options)
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code: child.exitCode }
}

/** Starts a server, which is killed at the end of the block. `url` is undefined if the server did not start. */
export async function tryToServe(options: CommandOptions, args: readonly string[] = []) {
  const child = startCommand(['serve', ...args], {
    ...options,
    env: { TIERS: 'anonymous=unlimited', ...options.env },
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
    /** Sends SIGTERM and waits for the exit. `err` has warnings and errors only. */
    async stop(): Promise<Ended> {
      child.kill('SIGTERM')
      await Promise.all([child.exited, reading])
      return { out: '', err: problemsIn(log), code: child.exitCode }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Returns a problem unless the command exited with 1 and printed one sentence that names the file. */
export function refusalProblem({ err, code }: Ended, name: string): string | undefined {
  const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  const isClear = lines.length === 1 && lines[0]?.startsWith('passportd: ') && lines[0].includes(name)
  if (code === 1 && isClear) return undefined
  return code === null
    ? 'the command timed out or was killed'
    : `the command exited with ${code}: ${JSON.stringify(err)}`
}

/** Returns the number of requests in the usage counts of all days. */
export async function countUsage(options: CommandOptions): Promise<number> {
  const days = ['--since', '2020-01-01', '--until', '2099-12-31']
  const { out } = await runCommand(['usage', '--json', ...days], options)
  return JSON.parse(out).requests
}
