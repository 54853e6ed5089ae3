import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { resultOf } from './cli.ts'
import { findProgram } from './programs.ts'

const ROOT = join(import.meta.dir, '../..')

/** `show` prints a value as one line of JSON. `failure_of` returns the fields of the error that a call raises. */
const PRELUDE = `
import datetime, json, pickle, sys
from passportd_client import Client, CursorExpiredError, PassportError
def show(value): print(json.dumps(value), flush=True)
def failure_of(work):
    try: work()
    except PassportError as error: return pickle.loads(pickle.dumps(error)).__dict__
    except ValueError as error: return str(error)
client = Client(sys.argv[1], sys.argv[2] or None, longest_wait=1)
`

/**
 * Builds the Python client offline in a folder, which becomes the PYTHONPATH. `packed` makes the source distribution,
 * makes the wheel from it, and installs the wheel.
 */
export async function installPythonClient(home: string, { packed = false } = {}) {
  const python = findProgram('python3-build') as string
  // The build writes files beside the sources, so it gets a copy of them.
  const [source, dist, site] = [join(home, 'packages/python'), join(home, 'dist'), join(home, 'site')]
  mkdirSync(join(home, 'docs'), { recursive: true })
  for (const file of ['docs/openapi.json', 'LICENSE']) cpSync(join(ROOT, file), join(home, file))
  cpSync(join(ROOT, 'packages/python'), source, { recursive: true })

  async function command(args: readonly string[], env: Record<string, string> = {}, cwd = home) {
    const child = Bun.spawn([...args], {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const { out, err, code } = await resultOf(child)
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}\n${out}${err}`)
    return out
  }

  if (packed) {
    await command([python, '-m', 'build', '--no-isolation', '--outdir', dist, source])
    const wheel = join(dist, [...new Bun.Glob('*.whl').scanSync(dist)][0] as string)
    await command([python, '-m', 'pip', 'install', '--no-index', '--no-deps', '--target', site, wheel])
  } else await command([python, 'setup.py', '-q', 'build', '--build-lib', site], {}, source)
  /** Warnings are errors, such as those of sockets that are not closed. */
  const spawn = (program: string, url: string | URL, key: string) =>
    Bun.spawn([python, '-X', 'dev', '-W', 'error', '-c', PRELUDE + program, String(url), key], {
      env: { PYTHONPATH: site },
      stdout: 'pipe',
      stderr: 'pipe',
    })

  return {
    dist,
    site,
    command,
    /** Runs a program, and returns the values that it shows. */
    async run(program: string, url: string | URL, key = ''): Promise<unknown[]> {
      const { out, err } = await resultOf(spawn(program, url, key))
      if (err !== '') throw new Error(err)
      return out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    },
    /** Starts a program. `next` returns the next value that the program shows. */
    start(program: string, url: string | URL, key = '') {
      const child = spawn(program, url, key)
      const lines = linesOf(child.stdout)
      return {
        async next() {
          const { done, value } = await lines.next()
          if (done) throw new Error(await new Response(child.stderr).text())
          return JSON.parse(value)
        },
        async [Symbol.asyncDispose]() {
          child.kill()
          await child.exited
        },
      }
    },
  }
}

export type PythonClient = Awaited<ReturnType<typeof installPythonClient>>

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
