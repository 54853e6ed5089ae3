import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from './database-checks.ts'
import { succeed } from './kill-process.ts'

/** Imports one file after another. After a kill, it starts again with the same file. */
export function createImportLoop(sandbox: Sandbox, textOf: (number: number) => string) {
  const name = 'more.jsonl'
  let done = 0
  let child: ReturnType<Sandbox['start']> | undefined
  let isStopped = true
  let running: Promise<void> | undefined

  async function keepImporting(): Promise<void> {
    while (!isStopped) {
      writeFileSync(join(sandbox.cwd, name), textOf(done))
      child = sandbox.start('import', name)
      await child.exited
      if (child.exitCode === 0) done++
      else if (!child.killed) throw new Error(`The import failed: ${await new Response(child.stderr).text()}`)
    }
  }

  return {
    /** The number of completed imports. */
    done: () => done,
    start(): void {
      isStopped = false
      running = keepImporting()
      // `stop` rethrows the error.
      running.catch(() => undefined)
    },
    async stop({ kill }: { kill: boolean }): Promise<void> {
      isStopped = true
      if (kill) child?.kill('SIGKILL')
      await running
    },
    async finish(): Promise<void> {
      writeFileSync(join(sandbox.cwd, name), textOf(done))
      await succeed(sandbox.run('import', name))
      done++
    },
  }
}
