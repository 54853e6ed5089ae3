import { join } from 'node:path'

export const MAIN = join(import.meta.dir, '../../src/main.ts')

type Env = Record<string, string>

type Options = { env?: Env; cwd: string; stdin?: Uint8Array }

/** How `npm run passportd` starts the program. */
export const COMMAND = [
  process.execPath,
  '--smol',
  '--config=/dev/null',
  '--tsconfig-override=/dev/null',
  '--no-env-file',
  '--no-install',
  MAIN,
]

/** The environment that `npm run passportd` adds. */
export const COMMAND_ENV = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' }

/** Commands that need an existing database, with valid arguments. */
export const READING_COMMANDS = [
  'keys create --name a',
  'keys list --json',
  'usage',
  'audit',
  'retire',
  'export',
  'score --all',
  'explain 1',
  'rules list',
  'merge 1 2',
  'remove 1',
].map((line) => line.split(' '))

/** Every kind of command that opens a database but serves no requests. The last two create the database. */
export const DATABASE_COMMANDS = [
  ...READING_COMMANDS,
  ['import', '/dev/null'],
  ['mirror', 'http://127.0.0.1:9'],
]

export function start(args: readonly string[], { env = {}, cwd, stdin }: Options) {
  return Bun.spawn([...COMMAND, ...args], {
    cwd,
    env: { ...COMMAND_ENV, PATH: process.env.PATH ?? '', ...env },
    stdin: stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export const run = (args: readonly string[], options: Options) => resultOf(start(args, options))

/** Waits until a process has ended, and returns its output and exit code. */
export async function resultOf(child: Bun.Subprocess<Bun.Spawn.Writable, 'pipe', 'pipe'>) {
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

/** Starts `serve` on a free port and reads its URL. The end of the block kills the process. */
export async function serveProcess(args: readonly string[], { env = {}, cwd }: Options) {
  // Each server thread takes half a second of CPU time to start.
  const workers = args.includes('--workers') ? [] : ['--workers', '1']
  const child = start(['serve', ...workers, ...args], { env: { PORT: '0', ...env }, cwd })
  const greeting = await readGreeting(child.stdout)
  const url = urlIn(greeting)
  if (url === undefined) {
    throw new Error(`serve did not start: ${greeting}${await new Response(child.stderr).text()}`)
  }
  return {
    child,
    greeting,
    url,
    /** Empty unless METRICS_PORT is set. */
    metricsUrl: /Metrics +(http\S+)/.exec(greeting)?.[1] ?? '',
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

const urlIn = (greeting: string) => /https?:\/\/[\d.:]+/.exec(greeting)?.[0]

export const readUrl = async (stdout: ReadableStream<Uint8Array>) => urlIn(await readGreeting(stdout))

export async function readGreeting(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let greeting = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    greeting += decoder.decode(chunk, { stream: true })
    if (greeting.includes('Make a key:')) break
  }
  return greeting
}

/** Occupies a port, so that no other server can listen on it. */
export function takePort(): { port: number } & AsyncDisposable {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort: false, fetch: () => new Response() })
  return { port: server.port as number, [Symbol.asyncDispose]: () => server.stop(true) }
}
