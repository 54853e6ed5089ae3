import { AsyncLocalStorage } from 'node:async_hooks'

const allowed = new AsyncLocalStorage<true>()

/** Lets a helper start processes in a quick test. */
export const allowProcesses = <T>(run: () => T): T => allowed.run(true, run)

/** Makes tests that start a process fail. The functions of `node:child_process` call these two. */
export function forbidProcesses(): void {
  for (const name of ['spawn', 'spawnSync'] as const) {
    const original = Bun[name] as (...args: unknown[]) => unknown
    const guarded = (...args: unknown[]) => {
      if (allowed.getStore()) return original(...args)
      throw new Error('This test starts a process: move it to test/system.')
    }
    Object.assign(Bun, { [name]: guarded })
  }
}
