import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../test/support/random.ts'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../run-scenario.ts'
import { type CommandOptions, refusalProblem, runCommand, tryToServe } from '../support/command.ts'
import { canMount, withReadOnly } from '../support/small-disk.ts'

const NAME = 'people.db'
const PATHS = ['/api/v3/passports?limit=100', '/api/v3/passports?q=a', '/api/v3/passports/7']

const randomBytes = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.whole(0, 255)))

/** `isUndetected`: SQLite has no checksums, so a value in a row can be another one, which the program may not understand. */
type Damage = {
  name: string
  isUndetected?: true
  apply?: (path: string, random: Random) => void
  isReadOnly?: true
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'truncated',
    apply: (path, random) => truncateSync(path, random.whole(1, statSync(path).size - 1)),
  },
  {
    name: 'with flipped bits',
    isUndetected: true,
    apply(path, random) {
      const contents = readFileSync(path)
      for (let count = random.whole(1, 40); count > 0; count--) {
        const position = random.whole(0, contents.length - 1)
        contents[position] = (contents[position] as number) ^ (1 << random.whole(0, 7))
      }
      writeFileSync(path, contents)
    },
  },
  {
    name: 'partly overwritten',
    isUndetected: true,
    apply(path, random) {
      const contents = readFileSync(path)
      randomBytes(random, 4096).copy(contents, random.whole(0, contents.length - 4096))
      writeFileSync(path, contents)
    },
  },
  {
    name: 'with a -shm of random bytes',
    apply: (path, random) => writeFileSync(`${path}-shm`, randomBytes(random, 32_768)),
  },
  {
    name: 'with a -wal of random bytes',
    apply: (path, random) => writeFileSync(`${path}-wal`, randomBytes(random, 9000)),
  },
  ...(canMount ? [{ name: 'on a read-only disk', isReadOnly: true as const }] : []),
]

/** Other unusable files, which are not random, are in test/core/store/sqlite.test.ts. */
export const damagedFiles: Scenario = {
  name: 'damaged-files',
  title: 'the server and a command on a file with random damage, or on a read-only disk',
  long: 75,
  short: 6,
  async run(times, fail) {
    using folder = tempFolder()
    const options = { cwd: folder.path, database: join(folder.path, NAME) }
    writeFileSync(join(folder.path, 'people.jsonl'), linesOf(INVENTED.slice(0, 200)))
    await runCommand(['import', 'people.jsonl'], options)
    await runCommand(['score'], options)
    const valid = readFileSync(options.database)
    const { out: exported } = await runCommand(['export'], options)
    const random = createRandom(times)
    for (let count = 0; count < times; count++) {
      const { name, isUndetected = false, isReadOnly, apply } = DAMAGES[count % DAMAGES.length] as Damage
      using copy = tempFolder()
      const wrapper = isReadOnly ? withReadOnly(copy.path) : []
      const damaged = { cwd: copy.path, database: join(copy.path, NAME), wrapper }
      writeFileSync(damaged.database, valid)
      apply?.(damaged.database, random)
      const serveProblem = await serve(damaged, isUndetected)
      if (serveProblem) fail(`serve on a file ${name}: ${serveProblem}`)
      const result = await runCommand(['export'], damaged)
      const isRight = result.code === 0 ? result.out === exported : refusalProblem(result, NAME) === undefined
      if (!isRight && !(isUndetected && result.code !== null))
        fail(`export on a file ${name}: code ${result.code}: ${result.err}`)
    }
    return { count: times }
  },
}

/** Returns a problem, or undefined if the server refuses the file, or responds and stops as it should. */
async function serve(options: CommandOptions, isUndetected: boolean): Promise<string | undefined> {
  await using server = await tryToServe(options)
  if (server.url === undefined) return refusalProblem(await server.stop(), NAME)
  for (const path of PATHS) {
    const response = await fetch(`${server.url}${path}`)
    const body = await response.text()
    if (response.status >= 500 && response.status !== 503 && !isUndetected)
      return `${path} responds ${response.status}: ${body}`
  }
  const { code, err } = await server.stop()
  return code === 0 || isUndetected ? undefined : `serve exited with ${code}: ${err}`
}
