import { join } from 'node:path'
import { COMMAND, readUrl } from '../../test/support/cli.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { openUnreadPipe } from '../../test/support/unread-named-pipe.ts'
import type { Scenario } from '../run-scenario.ts'

const LONGEST_STOP_MILLISECONDS = 12_000
const BATCH = 100

export const unreadLog: Scenario = {
  name: 'unread-log',
  title: 'SIGTERM to a server whose log nobody reads ends it within 12 s',
  long: 20,
  short: 2,
  async run(times, fail, exceed) {
    let slowest = 0
    for (let round = 0; round < times; round++) {
      using folder = tempFolder()
      using log = openUnreadPipe(join(folder.path, 'log'))
      const child = Bun.spawn([...COMMAND, 'serve', '--workers', `${1 + (round % 2)}`], {
        cwd: folder.path,
        env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_REQUESTS: 'true' },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: log.descriptor,
      })
      const kill = setTimeout(() => child.kill('SIGKILL'), 4 * LONGEST_STOP_MILLISECONDS)
      const url = await readUrl(child.stdout)
      // The first rounds log less than the pipe holds, the last ones more than the backlog holds.
      for (let sent = 0; sent < 1000 + 400 * round; sent += BATCH)
        await Promise.all(Array.from({ length: BATCH }, () => fetch(`${url}/health`)))
      const begin = performance.now()
      child.kill('SIGTERM')
      const code = await child.exited
      clearTimeout(kill)
      slowest = Math.max(slowest, Math.round(performance.now() - begin))
      if (code !== 0) fail(`exit code ${code} after ${slowest} ms`)
      if (slowest > LONGEST_STOP_MILLISECONDS) exceed(`a stop took ${slowest} ms`)
    }
    return { count: times, note: `the slowest stop took ${slowest} ms` }
  },
}
