import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../src/cli/main.ts')

type Env = Record<string, string>

function spawn(args: readonly string[], env: Env, cwd: string) {
  return Bun.spawn([process.execPath, MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** Runs a command to its end. */
export async function run(args: readonly string[], { env = {}, cwd }: { env?: Env; cwd: string }) {
  const child = spawn(args, env, cwd)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

/** Starts `serve` on a free port and waits until it says where. It is killed at the end of the block. */
export async function serveProcess(args: readonly string[], { env = {}, cwd }: { env?: Env; cwd: string }) {
  const child = spawn(['serve', ...args], { PORT: '0', ...env }, cwd)
  let greeting = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    greeting += decoder.decode(chunk, { stream: true })
    if (greeting.includes('Make a key:')) break
  }
  const url = /http:\/\/[\d.:]+/.exec(greeting)?.[0]
  if (url === undefined)
    throw new Error(`serve did not start: ${greeting}${await new Response(child.stderr).text()}`)
  return {
    child,
    greeting,
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
