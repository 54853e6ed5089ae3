import { AsyncLocalStorage } from 'node:async_hooks'

const allowed = new AsyncLocalStorage<true>()

/** Lets a helper start processes in a test outside of test/system. */
export const allowProcesses = <T>(run: () => T): T => allowed.run(true, run)

/** `Bun.main` is the test file that is running. */
const isSystemTest = () => Bun.main.includes('/test/system/')

/** Makes tests outside of test/system that start a process fail. The functions of `node:child_process` call these two. */
export function forbidProcesses(): void {
  for (const name of ['spawn', 'spawnSync'] as const) {
    const original = Bun[name] as (...args: unknown[]) => unknown
    const guarded = (...args: unknown[]) => {
      if (allowed.getStore() || isSystemTest()) return original(...args)
      throw new Error('This test starts a process: move it to test/system.')
    }
    Object.assign(Bun, { [name]: guarded })
  }
}
