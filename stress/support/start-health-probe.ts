import { join } from 'node:path'

/** Measures the slowest response of /health, in another process, until `end`. */
export async function startProbe(url: string) {
  const script = join(import.meta.dir, 'health-probe.ts')
  const child = Bun.spawn([process.execPath, script, url], { stdin: 'pipe', stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  await read()
  return {
    async end(): Promise<number> {
      await child.stdin.end()
      return JSON.parse(await read()).slowest
    },
  }
}
