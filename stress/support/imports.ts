import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed, type Workplace } from './random-kill.ts'

/** Imports one file after the other. One that was killed is imported again first. */
export function createImports(here: Workplace, textOf: (number: number) => string) {
  const name = 'more.jsonl'
  let done = 0
  let child: ReturnType<Workplace['start']> | undefined
  let isStopped = true
  let running: Promise<void> | undefined

  async function keepImporting(): Promise<void> {
    while (!isStopped) {
      writeFileSync(join(here.cwd, name), textOf(done))
      child = here.start('import', name)
      await child.exited
      if (child.exitCode === 0) done++
      else if (!child.killed) throw new Error(`The import failed: ${await new Response(child.stderr).text()}`)
    }
  }

  return {
    /** How many have ended well. */
    done: () => done,
    start(): void {
      isStopped = false
      running = keepImporting()
      // `stop` throws it.
      running.catch(() => undefined)
    },
    async stop({ kill }: { kill: boolean }): Promise<void> {
      isStopped = true
      if (kill) child?.kill('SIGKILL')
      await running
    },
    async finish(): Promise<void> {
      writeFileSync(join(here.cwd, name), textOf(done))
      await succeed(here.run('import', name))
      done++
    },
  }
}
