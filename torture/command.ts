import { COMMAND, readUrl } from '../test/support/cli.ts'

type Place = {
  cwd: string
  database: string
  /** Programs that run the command, such as `unshare`. */
  within?: readonly string[]
  env?: Record<string, string>
  /** Milliseconds after which it counts as hanging. */
  patience?: number
}

/** Longer than any of them takes: what is not over by then hangs. */
const PATIENCE_MILLISECONDS = 30_000

/** Starts a command; it is killed where it hangs. */
export function startCommand(args: readonly string[], place: Place) {
  const { cwd, database, within = [], env = {}, patience = PATIENCE_MILLISECONDS } = place
  return Bun.spawn([...within, ...COMMAND, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${database}`, PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: patience,
    killSignal: 'SIGKILL',
  })
}

const read = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

export type Ended = { out: string; err: string; code: number | null }

export async function runCommand(args: readonly string[], place: Place): Promise<Ended> {
  const child = startCommand(args, place)
  const [out, err] = await Promise.all([read(child.stdout), read(child.stderr), child.exited])
  return { out, err, code: child.exitCode }
}

/** A server that listens, or what it said instead. It is killed at the end of the block. */
export async function tryToServe(place: Place) {
  const child = startCommand(['serve'], { ...place, env: { TIERS: 'anonymous=unlimited', ...place.env } })
  let said = ''
  const err = listen(child.stderr, (text) => {
    said += text
  })
  const url = await readUrl(child.stdout)
  return {
    child,
    url,
    /** What it wrote to standard error so far. */
    said: () => said,
    /** Asks it to end, and waits. */
    async end(): Promise<Ended> {
      child.kill('SIGTERM')
      await Promise.all([child.exited, err])
      return { out: '', err: said, code: child.exitCode }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

async function listen(stream: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) hear(decoder.decode(chunk, { stream: true }))
}

/** What is wrong with how a command ended that could not do what it was asked to; nothing where it was told well. */
export function faultOfRefusal({ err, code }: Ended, names: string): string | undefined {
  const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  const isClear = lines.length === 1 && lines[0]?.startsWith('passportd: ') && lines[0].includes(names)
  if (code === 1 && isClear) return undefined
  return code === null ? 'it hung, or was killed' : `it ended with ${code}, saying ${JSON.stringify(err)}`
}

/** How many requests the usage of all days counts. */
export async function countUsage(place: Place): Promise<number> {
  const { out } = await runCommand(
    ['usage', '--csv', '--since', '2020-01-01', '--until', '2099-12-31'],
    place,
  )
  const counts = out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',').at(-1)))
  return counts.reduce((sum, count) => sum + count, 0)
}
