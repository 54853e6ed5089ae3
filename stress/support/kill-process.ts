import type { Random } from '../../test/support/random.ts'

/** Kills a process at a random moment within `milliseconds`. Returns false if the process ended by itself. */
export function killWithin(child: Bun.Subprocess, milliseconds: number, random: Random): Promise<boolean> {
  const moment = performance.now() + milliseconds * random.next()
  return killWhen(child, () => performance.now() >= moment)
}

export async function killWhen(child: Bun.Subprocess, isTime: () => boolean | Promise<boolean>) {
  while (child.exitCode === null && !(await isTime())) await Bun.sleep(1)
  child.kill('SIGKILL')
  await child.exited
  return child.signalCode === 'SIGKILL'
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

export async function succeed<T extends { code: number; err: string }>(running: Promise<T>): Promise<T> {
  const result = await running
  if (result.code !== 0) throw new Error(`The command exited with ${result.code}: ${result.err}`)
  return result
}
