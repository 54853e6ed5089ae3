import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../scenario.ts'
import { refusalProblem, runCommand, tryToServe } from '../support/command.ts'

const COMMANDS = [['import', 'people.jsonl'], ['score'], ['keys', 'create', '--name', 'a'], ['export'], []]

export const orphanedWal: Scenario = {
  name: 'orphaned-wal',
  title: 'a command on a lost database file beside its WAL',
  long: 50,
  short: 2,
  async run(times, fail) {
    for (let count = 0; count < times; count++) {
      using folder = tempFolder()
      const database = join(folder.path, 'people.db')
      const wal = `${database}-wal`
      const options = { cwd: folder.path, database }
      writeFileSync(join(folder.path, 'people.jsonl'), linesOf(INVENTED.slice(0, 200)))
      // A killed server leaves its WAL.
      await using server = await tryToServe(options)
      await runCommand(['import', 'people.jsonl'], options)
      server.child.kill('SIGKILL')
      await server.child.exited
      if (count % 2 === 0) truncateSync(database, 0)
      else rmSync(database)
      const before = readFileSync(wal)
      if (before.length === 0) fail('the killed server left no WAL')
      for (const args of COMMANDS) {
        const ended =
          args.length > 0 ? await runCommand(args, options) : await (await tryToServe(options)).stop()
        const problem = refusalProblem(ended, wal)
        if (problem) fail(`${args.join(' ') || 'serve'}: ${problem}`)
        if (!existsSync(wal) || !readFileSync(wal).equals(before)) fail(`${args.join(' ')} changed the WAL`)
      }
    }
    return { count: times }
  },
}
