import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { COMMAND } from '../support/cli.ts'
import { findPort } from '../support/postgres/postgres-process.ts'
import { until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fillPipe, openUnreadPipe } from '../support/unread-pipe.ts'

test.each(['a full pipe that nobody reads', '/dev/full'])(
  'serve that logs to %s starts, serves and stops',
  async (log) => {
    using folder = tempFolder()
    using pipe = openUnreadPipe(join(folder.path, 'log'))
    fillPipe(join(folder.path, 'log'))
    const output = log === '/dev/full' ? Bun.file(log) : pipe.descriptor
    const port = await findPort()
    const child = Bun.spawn([...COMMAND, 'serve'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', PORT: String(port) },
      stdin: 'ignore',
      stdout: output,
      stderr: output,
    })
    try {
      const isHealthy = () => fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok)
      await until(() => isHealthy().catch(() => false))
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  },
)
