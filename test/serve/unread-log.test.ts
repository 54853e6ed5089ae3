import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { COMMAND } from '../support/cli.ts'
import { findPort } from '../support/postgres/postgres-process.ts'
import { until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fillPipe, openUnreadPipe } from '../support/unread-pipe.ts'

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
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})
