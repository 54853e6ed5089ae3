import { start } from '../../test/support/cli.ts'
import { findPort } from '../../test/support/postgres-process.ts'
import { tempFolder } from '../measure.ts'
import { SERVING } from './ours.ts'

/** Milliseconds from the start of the command until it says that it is ready, and until it has answered with a list. */
export async function timeStart(database: string): Promise<{ ready: number; listed: number }> {
  using folder = tempFolder()
  const port = await findPort()
  const env = { DATABASE_URL: database, PORT: `${port}`, ...SERVING }
  const begin = performance.now()
  const child = start(['serve'], { cwd: folder.path, env })
  try {
    while (child.exitCode === null) {
      if (await answers(port, '/ready')) {
        const ready = performance.now() - begin
        await answers(port, '/api/v1/passports')
        return { ready, listed: performance.now() - begin }
      }
      await Bun.sleep(2)
    }
    throw new Error(`serve ended: ${await new Response(child.stderr).text()}`)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

const answers = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    async (answer) => (await answer.bytes()) && answer.status === 200,
    () => false,
  )
