import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND } from '../../../support/cli.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { until } from '../../../support/wait-until.ts'

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a dry run on a missing database that %s ends leaves no temporary folder',
  async (signal) => {
    using folder = tempFolder()
    const TMPDIR = join(folder.path, 'tmp')
    mkdirSync(TMPDIR)
    const child = Bun.spawn([...COMMAND, 'import', '--dry-run', '-'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', TMPDIR },
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until(() => readdirSync(TMPDIR).length > 0 || child.exitCode !== null)
    expect(readdirSync(TMPDIR)).toEqual([expect.stringMatching(/^passportd-dry-run-/)])
    child.kill(signal)
    await child.exited
    expect([child.signalCode, readdirSync(TMPDIR)]).toEqual([signal, []])
  },
)
