import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { COMMAND, readUrl } from '../support/cli.ts'
import { findPort } from '../support/postgres/postgres-process.ts'
import { until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fillPipe, openUnreadPipe } from '../support/unread-pipe.ts'

/** Their log entries are longer than a pipe, which holds 64 KiB on Linux. */
const REQUESTS = 1500

test.each(['1', '2'])(
  'serve --workers %s with an unread log stops within 12 s of SIGTERM',
  async (workers) => {
    using folder = tempFolder()
    using log = openUnreadPipe(join(folder.path, 'log'))
    const env = {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      LOG_REQUESTS: 'true',
      TIERS: 'anonymous=unlimited',
    }
    const child = Bun.spawn([...COMMAND, 'serve', '--workers', workers], {
      cwd: folder.path,
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: log.descriptor,
    })
    try {
      const url = await readUrl(child.stdout)
      for (let sent = 0; sent < REQUESTS; sent += 100) {
        await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/health`)))
      }
      const begin = performance.now()
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect(performance.now() - begin).toBeLessThan(12_000)
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  },
  20_000,
)

test('serve with full output pipes that nobody reads starts, serves and stops', async () => {
  using folder = tempFolder()
  using pipe = openUnreadPipe(join(folder.path, 'log'))
  fillPipe(join(folder.path, 'log'))
  const port = await findPort()
  const child = Bun.spawn([...COMMAND, 'serve'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
    stdin: 'ignore',
    stdout: pipe.descriptor,
    stderr: pipe.descriptor,
  })
  try {
    const isHealthy = () => fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok)
    await until(() => isHealthy().catch(() => false))
    const begin = performance.now()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(performance.now() - begin).toBeLessThan(12_000)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}, 120_000)
