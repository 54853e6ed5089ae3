import { join } from 'node:path'

export type Waits = {
  /** `cpu`: the most CPU time of the server thread during one /health, in ms. `wall`: the longest /health, in ms. */
  cpu: number
  /** The time at which that /health was sent, in milliseconds since the start. */
  at: number
  wall: number
  /** The most memory that the server used, in MB. */
  memory: number
  count: number
}

/** Requests /health from another process until `end` is called. `schedstat` is the file in /proc with the CPU time of the server thread. */
export async function startCpuProbe(url: string, pid: number, schedstat: string) {
  const script = join(import.meta.dir, 'health-cpu-probe.ts')
  const child = Bun.spawn([process.execPath, script, url, String(pid), schedstat], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const reader = child.stdout.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  await read()
  return {
    async end(): Promise<Waits> {
      await child.stdin.end()
      return JSON.parse(await read())
    },
  }
}
