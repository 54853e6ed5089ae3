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
import { INVENTED, linesOf } from '../../test/support/lines.ts'
import { until } from '../../test/support/processes.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { type Ended, faultOfRefusal, runCommand, tryToServe } from '../command.ts'
import { canMount, withReadOnly } from '../disk.ts'
import type { Part } from '../part.ts'

const NAME = 'people.db'
const PEOPLE = linesOf(INVENTED.slice(0, 200))
const ASKED = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]

type Random = ReturnType<typeof createRandom>
type Scene = { folder: string; path: string; random: Random }

type Fault = {
  name: string
  /** Of a good database makes a bad one. */
  spoil(scene: Scene): void
  /** What is not ours is refused, and stays as it was, byte for byte. */
  foreign?: boolean
  /** What SQLite does not notice: letters in the middle of a row have no check. */
  mayDiffer?: boolean
  within?(folder: string): readonly string[]
  /** An empty file or none is a database of nobody for commands that may make one. */
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

const documentsOf = ({ folder }: Scene) =>
  readdirSync(folder)
    .filter((name) => name.includes('-documents-'))
    .map((name) => join(folder, name))

const KINDS: readonly Fault[] = [
  {
    name: 'random bytes',
    foreign: true,
    spoil: ({ path, random }) =>
      replace(path, () => writeFileSync(path, bytes(random, random.whole(1, 20_000)))),
  },
  { name: 'text', foreign: true, spoil: ({ path }) => replace(path, () => writeFileSync(path, PEOPLE)) },
  { name: "another program's", foreign: true, spoil: ({ path }) => replace(path, () => makeOther(path, 0)) },
  {
    name: "another program's, marked",
    foreign: true,
    spoil: ({ path }) => replace(path, () => makeOther(path, 0x47504b47)),
  },
  { name: 'a folder', foreign: true, spoil: ({ path }) => replace(path, () => mkdirSync(path)) },
  {
    name: 'a pipe',
    foreign: true,
    spoil: ({ path }) => replace(path, () => Bun.spawnSync(['mkfifo', path])),
  },
  {
    name: 'of a newer passportd',
    foreign: true,
    spoil: ({ path }) => {
      using database = new Database(path)
      database.run('pragma user_version = 999')
      database.run('pragma wal_checkpoint(truncate)')
    },
  },
  { name: 'empty', mayBeEmpty: true, spoil: ({ path }) => replace(path, () => writeFileSync(path, '')) },
  { name: 'missing', mayBeEmpty: true, spoil: ({ path }) => replace(path, () => undefined) },
  {
    name: 'cut short',
    varied: true,
    spoil: ({ path, random }) => truncateSync(path, random.whole(1, lstatSync(path).size - 1)),
  },
  {
    name: 'with flipped bits',
    varied: true,
    mayDiffer: true,
    spoil: ({ path, random }) => flip(path, random, random.whole(1, 40)),
  },
  {
    name: 'overwritten in part',
    varied: true,
    mayDiffer: true,
    spoil: ({ path, random }) => {
      const contents = readFileSync(path)
      bytes(random, 4096).copy(contents, random.whole(0, contents.length - 4096))
      writeFileSync(path, contents)
    },
  },
  {
    name: 'with a -shm of random bytes',
    spoil: ({ path, random }) => writeFileSync(`${path}-shm`, bytes(random, 32_768)),
  },
  {
    name: 'with a -wal of random bytes',
    spoil: ({ path, random }) => writeFileSync(`${path}-wal`, bytes(random, 9000)),
  },
  {
    name: 'with documents cut short',
    spoil(scene) {
      for (const path of documentsOf(scene))
        truncateSync(path, scene.random.whole(0, lstatSync(path).size - 1))
    },
  },
  {
    name: 'with documents of flipped bits',
    spoil(scene) {
      for (const path of documentsOf(scene)) flip(path, scene.random, 200)
    },
  },
  {
    name: 'without documents',
    spoil(scene) {
      for (const path of documentsOf(scene)) rmSync(path)
    },
  },
  {
    name: 'with folders for documents',
    spoil(scene) {
      for (const path of documentsOf(scene)) replace(path, () => mkdirSync(path))
    },
  },
  ...(canMount
    ? [{ name: 'on a read-only disk', spoil: () => undefined, within: withReadOnly }]
    : process.getuid?.() === 0
      ? []
      : [{ name: 'read-only', spoil: ({ path }: Scene) => chmodSync(path, 0o400) }]),
]

/** What is never twice the same comes more often. */
const FAULTS = [...KINDS, ...KINDS.filter(({ varied }) => varied), ...KINDS.filter(({ varied }) => varied)]

type Good = { folder: string; exported: string; keys: string; answers: string[] }
type Case = Scene & { fault: Fault; good: Good }

/** Each gives back what is wrong with what it did; nothing where all is right. */
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
  // Of a copy, the other file may be named.
  if (ended.code !== 0) return faultOfRefusal(ended, '.db')
  if (fault.foreign) return 'it went on'
  return fault.mayDiffer || (await isRight(ended))
    ? undefined
    : `its answer is wrong: ${ended.err}${ended.out.slice(0, 200)}`
}

/** What a command made itself has the people whom it brought, if any; they are not scored yet. */
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

const ask = (url: string, path: string) => fetch(`${url}/api/v1/${path}`)

async function serve({ folder, path, fault, good }: Case): Promise<string | undefined> {
  await using server = await tryToServe({ cwd: folder, database: path, within: fault.within?.(folder) ?? [] })
  const { url } = server
  if (url === undefined) return faultOfRefusal(await server.end(), NAME)
  if (fault.foreign) return 'it serves'
  for (const [at, asked] of ASKED.entries()) {
    const answer = await ask(url, asked)
    const body = await answer.text()
    if (answer.status === 503 || fault.mayBeEmpty) continue
    if (answer.status >= 500) return `${asked} is answered ${answer.status}: ${body}`
    if (!fault.mayDiffer && body !== good.answers[at])
      return `${asked} is answered ${answer.status} ${body.slice(0, 200)}`
  }
  const { code, err } = await server.end()
  return code === 0 ? undefined : `it ended with ${code}, saying ${err}`
}

/** A database with people, keys and documents, at rest. */
async function makeGood(folder: string): Promise<Good> {
  const place = { cwd: folder, database: join(folder, NAME) }
  writeFileSync(join(folder, 'people.jsonl'), PEOPLE)
  await runCommand(['import', 'people.jsonl'], place)
  await runCommand(['keys', 'create', '--name', 'a'], place)
  await runCommand(['score'], place)
  await using server = await tryToServe(place)
  const answers: string[] = []
  for (const asked of ASKED) answers.push(await (await ask(server.url as string, asked)).text())
  await until(() => isDocumented(place.database))
  await server.end()
  const { out: exported } = await runCommand(['export'], place)
  const { out: keys } = await runCommand(['keys', 'list', '--json'], place)
  return { folder, exported, keys, answers }
}

function isDocumented(path: string): boolean {
  using database = new Database(path, { readonly: true })
  const isEmpty = (table: string) => database.query(`select 1 from ${table}`).get() === null
  return isEmpty('undocumented') && !isEmpty('passport_documents')
}

function copyGood(from: string, to: string): void {
  for (const name of readdirSync(from))
    if (name.startsWith(NAME)) copyFileSync(join(from, name), join(to, name))
}

function contentsOf(path: string): string {
  const file = lstatSync(path, { throwIfNoEntry: false })
  return file?.isFile() ? readFileSync(path).toString('latin1') : `mode ${file?.mode}`
}

export const badFiles: Part = {
  name: 'bad-files',
  what: 'a command on a damaged, foreign, missing or read-only file',
  long: 150,
  short: 6,
  async run(times, tell) {
    using place = tempFolder()
    const good = await makeGood(place.path)
    const random = createRandom(times)
    const commands = Object.entries(COMMANDS)
    let lost = 0
    for (let count = 0; count < times; count++) {
      using folder = tempFolder()
      copyGood(place.path, folder.path)
      const fault = FAULTS[count % FAULTS.length] as Fault
      // All commands for each fault, a round later each.
      const turn = count + Math.floor(count / FAULTS.length) * (1 - FAULTS.length)
      const [name, command] = commands[turn % commands.length] as (typeof commands)[number]
      const scene = { folder: folder.path, path: join(folder.path, NAME), random }
      fault.spoil(scene)
      const before = contentsOf(scene.path)
      const wrong = await command({ ...scene, fault, good })
      const isTouched = fault.foreign && contentsOf(scene.path) !== before
      if (wrong === undefined && !isTouched) continue
      lost++
      tell(`${name} on a file ${fault.name}: ${wrong ?? 'it changed the file'}`)
    }
    return { count: times, lost }
  },
}
