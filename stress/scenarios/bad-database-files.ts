import { Database } from 'bun:sqlite'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/core/store/database/sqlite/open.ts'
import { exportRecords } from '../../src/features/records/export.ts'
import { createRandom } from '../../test/support/random.ts'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../run-scenario.ts'
import { type Ended, refusalProblem, runCommand, tryToServe } from '../support/command.ts'
import { canMount, withReadOnly } from '../support/small-disk.ts'

const NAME = 'people.db'
const PEOPLE = linesOf(INVENTED.slice(0, 200))
const PATHS = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]

type Random = ReturnType<typeof createRandom>
type DatabaseFile = { folder: string; path: string; random: Random }

type Fault = {
  name: string
  /** Damages or replaces a valid database. */
  damage(file: DatabaseFile): void
  /** Whether the command must refuse the file and leave it unchanged. */
  mustRefuse?: boolean
  /** Whether the output may differ: SQLite has no checksums and does not detect a changed value in a row. */
  mayDiffer?: boolean
  /** Programs that run the command, such as `unshare`. */
  wrapper?(folder: string): readonly string[]
  /** Whether the command may create a new database. */
  mayBeEmpty?: boolean
  /** Whether the damage is random. Random faults are repeated more often. */
  isRandom?: boolean
}

const bytes = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.whole(0, 255)))

function flip(path: string, random: Random, count: number): void {
  const contents = readFileSync(path)
  for (let at = 0; at < count && contents.length > 0; at++) {
    const position = random.whole(0, contents.length - 1)
    contents[position] = (contents[position] as number) ^ (1 << random.whole(0, 7))
  }
  writeFileSync(path, contents)
}

function replace(path: string, make: (path: string) => void): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  make(path)
}

function createForeign(path: string, applicationId: number): void {
  using database = new Database(path, { create: true })
  database.run('create table notes (text)')
  database.run(`insert into notes values ('keep me')`)
  database.run(`pragma application_id = ${applicationId}`)
}

const KINDS: readonly Fault[] = [
  {
    name: 'random bytes',
    mustRefuse: true,
    damage: ({ path, random }) =>
      replace(path, () => writeFileSync(path, bytes(random, random.whole(1, 20_000)))),
  },
  { name: 'text', mustRefuse: true, damage: ({ path }) => replace(path, () => writeFileSync(path, PEOPLE)) },
  {
    name: 'of another program',
    mustRefuse: true,
    damage: ({ path }) => replace(path, () => createForeign(path, 0)),
  },
  {
    name: 'of another program with an application_id',
    mustRefuse: true,
    damage: ({ path }) => replace(path, () => createForeign(path, 0x47504b47)),
  },
  { name: 'a folder', mustRefuse: true, damage: ({ path }) => replace(path, () => mkdirSync(path)) },
  {
    name: 'a pipe',
    mustRefuse: true,
    damage: ({ path }) => replace(path, () => Bun.spawnSync(['mkfifo', path])),
  },
  {
    name: 'of a newer passportd version',
    mustRefuse: true,
    damage: ({ path }) => {
      using database = new Database(path)
      database.run('pragma user_version = 999')
      database.run('pragma wal_checkpoint(truncate)')
    },
  },
  { name: 'empty', mayBeEmpty: true, damage: ({ path }) => replace(path, () => writeFileSync(path, '')) },
  { name: 'missing', mayBeEmpty: true, damage: ({ path }) => replace(path, () => undefined) },
  {
    name: 'truncated',
    isRandom: true,
    damage: ({ path, random }) => truncateSync(path, random.whole(1, lstatSync(path).size - 1)),
  },
  {
    name: 'with flipped bits',
    isRandom: true,
    mayDiffer: true,
    damage: ({ path, random }) => flip(path, random, random.whole(1, 40)),
  },
  {
    name: 'partly overwritten',
    isRandom: true,
    mayDiffer: true,
    damage: ({ path, random }) => {
      const contents = readFileSync(path)
      bytes(random, 4096).copy(contents, random.whole(0, contents.length - 4096))
      writeFileSync(path, contents)
    },
  },
  {
    name: 'with a -shm of random bytes',
    damage: ({ path, random }) => writeFileSync(`${path}-shm`, bytes(random, 32_768)),
  },
  {
    name: 'with a -wal of random bytes',
    damage: ({ path, random }) => writeFileSync(`${path}-wal`, bytes(random, 9000)),
  },
  ...(canMount
    ? [{ name: 'on a read-only disk', damage: () => undefined, wrapper: withReadOnly }]
    : process.getuid?.() === 0
      ? []
      : [{ name: 'read-only', damage: ({ path }: DatabaseFile) => chmodSync(path, 0o400) }]),
]

const RANDOM_KINDS = KINDS.filter(({ isRandom }) => isRandom)
const FAULTS = [...KINDS, ...RANDOM_KINDS, ...RANDOM_KINDS]

type ValidDatabase = { folder: string; exported: string; keys: string; responses: string[] }
type Case = DatabaseFile & { fault: Fault; valid: ValidDatabase }

/** The commands to run. Each returns a description of the problem, or undefined. */
const COMMANDS: Record<string, (test: Case) => Promise<string | undefined>> = {
  serve,
  export: (test) => run(test, ['export'], ({ out }) => out === test.valid.exported || isNew(test, out)),
  'keys list': (test) => run(test, ['keys', 'list', '--json'], ({ out }) => out === test.valid.keys),
  score: (test) => run(test, ['score'], () => isWhole(test)),
  import: (test) => run(test, ['import', join(test.valid.folder, 'people.jsonl')], () => isWhole(test)),
  copy: (test) =>
    run(test, ['copy', `sqlite:${test.path}`, `sqlite:${join(test.folder, 'copy.db')}`], () =>
      isWhole(test, 'copy.db'),
    ),
}

async function run(
  { folder, path, fault }: Case,
  args: readonly string[],
  isRight: (ended: Ended) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  const options = { cwd: folder, database: path, wrapper: fault.wrapper?.(folder) ?? [] }
  const ended = await runCommand(args, options)
  // The message may name the target file of `copy` instead, so any name of a database file is accepted.
  if (ended.code !== 0) return refusalProblem(ended, '.db')
  if (fault.mustRefuse) return 'the command accepted the file'
  return fault.mayDiffer || (await isRight(ended))
    ? undefined
    : `wrong output: ${ended.err}${ended.out.slice(0, 200)}`
}

/** A new database is empty, or has the imported people without scores. */
const isNew = ({ fault }: Case, text: string) =>
  fault.mayBeEmpty === true && ['', PEOPLE].some((lines) => countLines(lines) === countLines(text))

const countLines = (text: string) => text.split('\n').length

async function isWhole(test: Case, name = NAME): Promise<boolean> {
  const text = await exportOf(join(test.folder, name)).catch((error: Error) => error.message)
  return text === test.valid.exported || isNew(test, text)
}

async function exportOf(path: string): Promise<string> {
  const store = await openSqlite(path, { create: false })
  let all = ''
  for await (const { text } of exportRecords(store)) all += text
  await store.database.close()
  return all
}

const get = (url: string, path: string) => fetch(`${url}/api/v1/${path}`)

async function serve({ folder, path: database, fault, valid }: Case): Promise<string | undefined> {
  await using server = await tryToServe({ cwd: folder, database, wrapper: fault.wrapper?.(folder) ?? [] })
  const { url } = server
  if (url === undefined) return refusalProblem(await server.stop(), NAME)
  if (fault.mustRefuse) return 'the command accepted the file'
  for (const [at, path] of PATHS.entries()) {
    const response = await get(url, path)
    const body = await response.text()
    if (response.status === 503 || fault.mayBeEmpty) continue
    if (response.status >= 500) return `${path} responds ${response.status}: ${body}`
    if (!fault.mayDiffer && body !== valid.responses[at])
      return `${path} responds ${response.status} ${body.slice(0, 200)}`
  }
  const { code, err } = await server.stop()
  return code === 0 ? undefined : `serve exited with ${code}: ${err}`
}

/** Creates a database with people and an API key. */
async function createValid(folder: string): Promise<ValidDatabase> {
  const options = { cwd: folder, database: join(folder, NAME) }
  writeFileSync(join(folder, 'people.jsonl'), PEOPLE)
  await runCommand(['import', 'people.jsonl'], options)
  await runCommand(['keys', 'create', '--name', 'a'], options)
  await runCommand(['score'], options)
  await using server = await tryToServe(options)
  const responses: string[] = []
  for (const path of PATHS) responses.push(await (await get(server.url as string, path)).text())
  await server.stop()
  const { out: exported } = await runCommand(['export'], options)
  const { out: keys } = await runCommand(['keys', 'list', '--json'], options)
  return { folder, exported, keys, responses }
}

function copyDatabase(from: string, to: string): void {
  for (const name of readdirSync(from))
    if (name.startsWith(NAME)) copyFileSync(join(from, name), join(to, name))
}

function contentsOf(path: string): string {
  const file = lstatSync(path, { throwIfNoEntry: false })
  return file?.isFile() ? readFileSync(path).toString('latin1') : `mode ${file?.mode}`
}

export const badFiles: Scenario = {
  name: 'bad-files',
  title: 'a command on a damaged, foreign, missing or read-only file',
  long: 150,
  short: 6,
  async run(times, fail) {
    using original = tempFolder()
    const valid = await createValid(original.path)
    const random = createRandom(times)
    const commands = Object.entries(COMMANDS)
    for (let count = 0; count < times; count++) {
      using folder = tempFolder()
      copyDatabase(original.path, folder.path)
      const fault = FAULTS[count % FAULTS.length] as Fault
      // Each pass through the faults begins with another command.
      const index = count + Math.floor(count / FAULTS.length) * (1 - FAULTS.length)
      const [name, command] = commands[index % commands.length] as (typeof commands)[number]
      const file = { folder: folder.path, path: join(folder.path, NAME), random }
      fault.damage(file)
      const before = contentsOf(file.path)
      const problem = await command({ ...file, fault, valid })
      if (problem) fail(`${name} on a file ${fault.name}: ${problem}`)
      if (fault.mustRefuse && contentsOf(file.path) !== before)
        fail(`${name} on a file ${fault.name}: the command changed the file`)
    }
    return { count: times }
  },
}
