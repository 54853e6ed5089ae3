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
import { createRandom } from '../../src/ingest/demo/random.ts'
import { exportRecords } from '../../src/ingest/export.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../scenario.ts'
import { type Ended, refusalProblem, runCommand, tryToServe } from '../support/command.ts'
import { canMount, withReadOnly } from '../support/disk.ts'

const NAME = 'people.db'
const PEOPLE = linesOf(INVENTED.slice(0, 200))
const PATHS = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]

type Random = ReturnType<typeof createRandom>
type Scene = { folder: string; path: string; random: Random }

type Fault = {
  name: string
  /** Damages a good database. */
  damage(scene: Scene): void
  /** Must be refused, and not changed by a byte. */
  foreign?: boolean
  /** SQLite has no checksums: a changed value in a row is not noticed. */
  mayDiffer?: boolean
  within?(folder: string): readonly string[]
  /** Commands may create a new database. */
  mayBeEmpty?: boolean
  varied?: boolean
}

const bytes = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.whole(0, 255)))

function flip(path: string, random: Random, count: number): void {
  const contents = readFileSync(path)
  for (let at = 0; at < count && contents.length > 0; at++) {
    const place = random.whole(0, contents.length - 1)
    contents[place] = (contents[place] as number) ^ (1 << random.whole(0, 7))
  }
  writeFileSync(path, contents)
}

function replace(path: string, make: (path: string) => void): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  make(path)
}

function makeOther(path: string, mark: number): void {
  using database = new Database(path, { create: true })
  database.run('create table notes (text)')
  database.run(`insert into notes values ('keep me')`)
  database.run(`pragma application_id = ${mark}`)
}

const KINDS: readonly Fault[] = [
  {
    name: 'random bytes',
    foreign: true,
    damage: ({ path, random }) =>
      replace(path, () => writeFileSync(path, bytes(random, random.whole(1, 20_000)))),
  },
  { name: 'text', foreign: true, damage: ({ path }) => replace(path, () => writeFileSync(path, PEOPLE)) },
  { name: "another program's", foreign: true, damage: ({ path }) => replace(path, () => makeOther(path, 0)) },
  {
    name: "another program's, marked",
    foreign: true,
    damage: ({ path }) => replace(path, () => makeOther(path, 0x47504b47)),
  },
  { name: 'a folder', foreign: true, damage: ({ path }) => replace(path, () => mkdirSync(path)) },
  {
    name: 'a pipe',
    foreign: true,
    damage: ({ path }) => replace(path, () => Bun.spawnSync(['mkfifo', path])),
  },
  {
    name: 'of a newer passportd',
    foreign: true,
    damage: ({ path }) => {
      using database = new Database(path)
      database.run('pragma user_version = 999')
      database.run('pragma wal_checkpoint(truncate)')
    },
  },
  { name: 'empty', mayBeEmpty: true, damage: ({ path }) => replace(path, () => writeFileSync(path, '')) },
  { name: 'missing', mayBeEmpty: true, damage: ({ path }) => replace(path, () => undefined) },
  {
    name: 'cut short',
    varied: true,
    damage: ({ path, random }) => truncateSync(path, random.whole(1, lstatSync(path).size - 1)),
  },
  {
    name: 'with flipped bits',
    varied: true,
    mayDiffer: true,
    damage: ({ path, random }) => flip(path, random, random.whole(1, 40)),
  },
  {
    name: 'overwritten in part',
    varied: true,
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
    ? [{ name: 'on a read-only disk', damage: () => undefined, within: withReadOnly }]
    : process.getuid?.() === 0
      ? []
      : [{ name: 'read-only', damage: ({ path }: Scene) => chmodSync(path, 0o400) }]),
]

/** Random faults come more often. */
const FAULTS = [...KINDS, ...KINDS.filter(({ varied }) => varied), ...KINDS.filter(({ varied }) => varied)]

type Good = { folder: string; exported: string; keys: string; responses: string[] }
type Case = Scene & { fault: Fault; good: Good }

/** Each returns the problem, if there is one. */
const COMMANDS: Record<string, (here: Case) => Promise<string | undefined>> = {
  serve,
  export: (here) => run(here, ['export'], ({ out }) => out === here.good.exported || isNew(here, out)),
  'keys list': (here) => run(here, ['keys', 'list', '--json'], ({ out }) => out === here.good.keys),
  score: (here) => run(here, ['score'], () => isWhole(here)),
  import: (here) => run(here, ['import', join(here.good.folder, 'people.jsonl')], () => isWhole(here)),
  copy: (here) =>
    run(here, ['copy', `sqlite:${here.path}`, `sqlite:${join(here.folder, 'copy.db')}`], () =>
      isWhole(here, 'copy.db'),
    ),
}

async function run(
  { folder, path, fault }: Case,
  args: readonly string[],
  isRight: (ended: Ended) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  const place = { cwd: folder, database: path, within: fault.within?.(folder) ?? [] }
  const ended = await runCommand(args, place)
  // `copy` may name the other file.
  if (ended.code !== 0) return refusalProblem(ended, '.db')
  if (fault.foreign) return 'it did not refuse'
  return fault.mayDiffer || (await isRight(ended))
    ? undefined
    : `its output is wrong: ${ended.err}${ended.out.slice(0, 200)}`
}

/** A new database is empty, or has the imported people, unscored. */
const isNew = ({ fault }: Case, text: string) =>
  fault.mayBeEmpty === true && ['', PEOPLE].some((lines) => countLines(lines) === countLines(text))

const countLines = (text: string) => text.split('\n').length

async function isWhole(here: Case, name = NAME): Promise<boolean> {
  const text = await exportOf(join(here.folder, name)).catch((error: Error) => error.message)
  return text === here.good.exported || isNew(here, text)
}

async function exportOf(path: string): Promise<string> {
  const store = openSqlite(path, { create: false })
  let all = ''
  for await (const { text } of exportRecords(store)) all += text
  await store.close()
  return all
}

const get = (url: string, path: string) => fetch(`${url}/api/v1/${path}`)

async function serve({ folder, path: database, fault, good }: Case): Promise<string | undefined> {
  await using server = await tryToServe({ cwd: folder, database, within: fault.within?.(folder) ?? [] })
  const { url } = server
  if (url === undefined) return refusalProblem(await server.stop(), NAME)
  if (fault.foreign) return 'it did not refuse'
  for (const [at, path] of PATHS.entries()) {
    const response = await get(url, path)
    const body = await response.text()
    if (response.status === 503 || fault.mayBeEmpty) continue
    if (response.status >= 500) return `${path} responds ${response.status}: ${body}`
    if (!fault.mayDiffer && body !== good.responses[at])
      return `${path} responds ${response.status} ${body.slice(0, 200)}`
  }
  const { code, err } = await server.stop()
  return code === 0 ? undefined : `it ended with ${code}: ${err}`
}

/** A database with people and keys. */
async function makeGood(folder: string): Promise<Good> {
  const place = { cwd: folder, database: join(folder, NAME) }
  writeFileSync(join(folder, 'people.jsonl'), PEOPLE)
  await runCommand(['import', 'people.jsonl'], place)
  await runCommand(['keys', 'create', '--name', 'a'], place)
  await runCommand(['score'], place)
  await using server = await tryToServe(place)
  const responses: string[] = []
  for (const path of PATHS) responses.push(await (await get(server.url as string, path)).text())
  await server.stop()
  const { out: exported } = await runCommand(['export'], place)
  const { out: keys } = await runCommand(['keys', 'list', '--json'], place)
  return { folder, exported, keys, responses }
}

function copyGood(from: string, to: string): void {
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
    using place = tempFolder()
    const good = await makeGood(place.path)
    const random = createRandom(times)
    const commands = Object.entries(COMMANDS)
    for (let count = 0; count < times; count++) {
      using folder = tempFolder()
      copyGood(place.path, folder.path)
      const fault = FAULTS[count % FAULTS.length] as Fault
      // Each round of all faults begins with another command.
      const turn = count + Math.floor(count / FAULTS.length) * (1 - FAULTS.length)
      const [name, command] = commands[turn % commands.length] as (typeof commands)[number]
      const scene = { folder: folder.path, path: join(folder.path, NAME), random }
      fault.damage(scene)
      const before = contentsOf(scene.path)
      const problem = await command({ ...scene, fault, good })
      if (problem) fail(`${name} on a file ${fault.name}: ${problem}`)
      if (fault.foreign && contentsOf(scene.path) !== before)
        fail(`${name} on a file ${fault.name}: it changed the file`)
    }
    return { count: times }
  },
}
