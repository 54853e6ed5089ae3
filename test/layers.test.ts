import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { FEATURES } from '../src/features.ts'
import { IMPORTS_OF_SRC } from './imports-of-src.ts'

/** The rooms of src, from the lowest floor to the highest. A room imports rooms of lower floors only. */
const FLOORS = [
  ['core/basics'],
  ['core/passport'],
  ['core/history', 'core/lists'],
  ['core/store'],
  ['core/scoring', 'core/index'],
  ['core/reads'],
  ['core/config'],
  ['core/http'],
  ['core/threads', 'core/api'],
  ['core/cli'],
  ['ui'],
  ['feature.ts'],
  ['features'],
  ['features.ts'],
  ['serve'],
  ['commands.ts'],
  ['main.ts'],
]

/** Rooms and files that run on any platform: they do not use Bun. */
const PURE =
  /^(core\/(passport|history|lists)\/|features\/(mirror\/mirror|copy\/copy|records\/(import|export))\.ts)/

const SRC = join(import.meta.dir, '../src')
const files = [...new Bun.Glob('**/*.ts').scanSync(SRC)].filter((file) => !file.endsWith('.d.ts'))
/** `core/store/rows/event.ts` is in `core/store`, and each feature is a room. */
const roomOf = (path: string) =>
  path
    .split('/')
    .slice(0, /^(core|features)\//.test(path) ? 2 : 1)
    .join('/')
const floorOf = (room: string) =>
  FLOORS.findIndex((rooms) => rooms.includes(room.startsWith('features/') ? 'features' : room))

const importsIn = (code: string) =>
  [...code.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string)

const source = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))
const filesWith = (text: RegExp, among = files) => among.filter((file) => text.test(source.get(file) ?? ''))
const targetsOf = (file: string) =>
  importsIn(source.get(file) ?? '')
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)).replace(/\?text$/, ''))

test('every file of src is in a room', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => floorOf(roomOf(file)) < 0)).toEqual([])
})

/** Whether a feature imports a file of a feature that it needs. */
const isNeeded = (file: string, target: string) =>
  FEATURES.some(
    ({ name, needs = [] }) =>
      roomOf(file) === `features/${name}` &&
      needs.some((other) => roomOf(target) === `features/${other.name}`),
  )

test('each folder of features is in the list of features, under its name, with the features that it imports as needs', () => {
  const folders = files.map(roomOf).filter((room) => room.startsWith('features/'))
  expect([...new Set(folders)].toSorted()).toEqual(FEATURES.map(({ name }) => `features/${name}`).toSorted())
  const unused = FEATURES.flatMap(({ name, needs = [] }) => {
    const own = files.filter((file) => roomOf(file) === `features/${name}` && !file.endsWith('/index.ts'))
    const used = new Set(own.flatMap(targetsOf).map(roomOf))
    return needs.filter((other) => !used.has(`features/${other.name}`)).map((other) => [name, other.name])
  })
  expect(unused).toEqual([])
})

test('imports go down, and a feature imports only features that it needs', () => {
  const outside = ['../package.json', '../packages/client/src/exchange.ts']
  const upward = files.flatMap((file) =>
    targetsOf(file)
      .filter((target) => !outside.includes(target) && roomOf(target) !== roomOf(file))
      .filter((target) => floorOf(roomOf(target)) >= floorOf(roomOf(file)) && !isNeeded(file, target))
      .map((target) => `${file} imports ${target}`),
  )
  expect(upward).toEqual([])
})

test('pages read with the functions of core/reads, and know neither the store nor the index', () => {
  const rooms = ['ui', 'features/explorer', 'features/credentials', 'features/compare', 'features/pictures']
  const imports = files
    .filter((file) => rooms.includes(roomOf(file)))
    .flatMap((file) => targetsOf(file).map((target) => `${file} imports ${target}`))
  expect(imports.filter((each) => /imports core\/(?:store|index)\//.test(each))).toEqual([])
})

test('no imports between files of src are circular, not even imports of types', () => {
  const imports = new Map(files.map((file) => [file, targetsOf(file)]))
  const circular = files.filter((file) => {
    const reached = new Set(imports.get(file))
    for (const target of reached) for (const next of imports.get(target) ?? []) reached.add(next)
    return reached.has(file)
  })
  expect(circular).toEqual([])
})

/** Schemas need TypeBox, which takes a tenth of a second of CPU to load. */
test('only the threads that serve requests load the schemas; the list of features does not', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const threads = ['writer', 'index', 'damage'].map((name) => `serve/${name}-thread.ts`)
  const others = ['pictures', 'backup', 'webhooks'].map((name) => `features/${name}/thread.ts`)
  const loaded = new Set(['main.ts', 'features.ts', 'serve/command.ts', ...threads, ...others])
  for (const file of loaded)
    for (const { kind, path } of transpiler.scanImports(source.get(file) ?? ''))
      if (kind === 'import-statement') loaded.add(path.startsWith('.') ? join(dirname(file), path) : path)
  expect(loaded.size).toBeGreaterThan(50)
  expect([...loaded].filter((name) => name.startsWith('typebox'))).toEqual([])
})

test('pure rooms and files do not use Bun', () => {
  const pure = files.filter((file) => PURE.test(file))
  expect(pure.length).toBeGreaterThan(30)
  expect(filesWith(/\bBun\b|'bun[:']/, pure)).toEqual([])
})

test('the client uses neither Bun nor Node, and only its types.ts imports files outside the client', () => {
  const folder = join(import.meta.dir, '../packages/client/src')
  const sources = [...new Bun.Glob('**/*').scanSync(folder)]
  expect(sources.length).toBeGreaterThan(4)
  for (const file of sources) {
    const source = readFileSync(join(folder, file), 'utf8')
    // The build of the package replaces the schemas and lists that this file imports.
    const imports = file === 'types.ts' ? [] : importsIn(source)
    expect(imports.filter((name) => !sources.includes(normalize(join(dirname(file), name))))).toEqual([])
    expect(source.match(/\b(Bun|process|Buffer|global|require)\b[.([]|import\.meta/)).toBeNull()
  }
})

test('only the store, statements of features and backups contain SQL', () => {
  const mayContain = /^(core\/store\/|features\/(\w|-)+\/([a-z]+-)?statements\.ts|features\/backup\/)/
  const others = files.filter((file) => !mayContain.test(file))
  const sql = /bun:sqlite|[`'"]\s*(select|insert into|insert or|update|delete from|with \w+ as)\s/
  expect(filesWith(sql, others)).toEqual([])
})

test('only main.ts exits the process and reads settings from the environment; version.ts asks how it was started', () => {
  expect(filesWith(/process\.env/).toSorted()).toEqual(['core/basics/version.ts', 'main.ts'])
  expect(filesWith(/process\.exit\(/)).toEqual(['main.ts'])
})

const ROOT = join(import.meta.dir, '..')
const GENERATED = /(^|\/)(node_modules|dist|data|golden|fixtures)\//
const sources = [
  ...new Bun.Glob('{bin,src,packages,test,bench,stress,deploy}/**/*.{ts,js,css}').scanSync(ROOT),
]
  .filter((file) => !GENERATED.test(file))
  .toSorted()
const tests = sources.filter((file) => file.endsWith('.test.ts'))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('no source file has more than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(200)
  expect(sources.filter((file) => read(file).trimEnd().split('\n').length > 300)).toEqual([])
})

test('no folder has more than 20 source files', () => {
  const folders = Map.groupBy(sources, dirname)
  const large = [...folders].filter(([, { length }]) => length > 20).map(([folder]) => folder)
  expect(large.filter((folder) => !folder.endsWith('/migrations'))).toEqual([])
})

test('nothing outside test/system imports files of test/system, such as the helper that starts a service', () => {
  const others = sources.filter(
    (file) => /^(test|bench|stress)\//.test(file) && !file.startsWith('test/system/'),
  )
  const targets = (file: string) => importsIn(read(file)).map((name) => normalize(join(dirname(file), name)))
  expect(others.filter((file) => targets(file).some((name) => name.startsWith('test/system/')))).toEqual([])
})

const SPECIFICATIONS = /^test\/core\/(basics|passport|history|lists|scoring)\//

test('tests import only the files of src that they test: those of their feature, or as the list says; other parts come from test/support', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const isOther = (file: string) => !SPECIFICATIONS.test(file) && file !== 'test/layers.test.ts'
  const found = tests.filter(isOther).flatMap((file) => {
    // The scan leaves out imports of types.
    const paths = transpiler.scanImports(read(file)).map(({ path }) => normalize(join(dirname(file), path)))
    const feature = /\bfeatures\/[^/]+\//.exec(file)?.[0]
    const own = paths
      .filter((path) => path.startsWith('src/') && !(feature && path.startsWith(`src/${feature}`)))
      .map((path) => path.slice(4).replace(/\.ts$/, ''))
    return own.length > 0 ? [[file.replace(/^test\/|\.test\.ts$/g, ''), own.toSorted()] as const] : []
  })
  expect<Record<string, readonly string[]>>(Object.fromEntries(found)).toEqual(IMPORTS_OF_SRC)
})

test('the model of the service in test/model imports nothing from src, so it cannot repeat its mistakes', () => {
  const model = sources.filter((file) => /^test\/(model\/|features\/\w+\/model\.ts$)/.test(file))
  expect(model.length).toBeGreaterThan(5)
  expect(model.filter((file) => importsIn(read(file)).some((name) => name.includes('src/')))).toEqual([])
})

test('no catch block is empty without a comment', () => {
  const empty = /catch\s*(\([^)]*\)\s*)?\{\s*\}/
  expect('try {} catch (error) {\n}').toMatch(empty)
  expect(sources.filter((file) => file !== 'test/layers.test.ts' && empty.test(read(file)))).toEqual([])
})

test('every catch in src that ignores the error of a promise has a comment above it', () => {
  const dropped = /catch\(\(\) => (undefined|\{\})\)/
  const uncommented = filesWith(dropped).filter((file) => {
    const lines = source.get(file)?.split('\n') ?? []
    return lines.some((line, at) => dropped.test(line) && !/\/[/*]/.test(lines.slice(at - 6, at).join()))
  })
  expect(uncommented).toEqual([])
})

/** Removes comments and the contents of strings, and puts each template on one line. */
const stripText = (code: string) =>
  code
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
    .replace(/`(?:[^`\\]|\\[\s\S])*`/g, (template) => template.replaceAll('\n', ' '))

test('tests wait for conditions, not for fixed times', () => {
  const sleep = /\bBun\.sleep\(|(?<![\w.]|async )sleep\(|(?<!spyOn\(globalThis, ')\bsetTimeout\(/
  const found = tests.filter((file) => sleep.test(stripText(read(file))))
  expect(found).toEqual([])
})

test('tests have no time limits of their own', () => {
  const limit = /^\s*\}, [\d_]+\)$|\bsetDefaultTimeout\(|\bAbortSignal\.timeout\(/m
  expect('test("a", () => {\n}, 60_000)').toMatch(limit)
  expect(tests.filter((file) => limit.test(stripText(read(file))))).toEqual([])
})

/** Text, and a regular expression on its own line. Markup can break, so `html` templates are not exempt. */
const LITERAL = /'(?:[^'\\]|\\.)*'|(?<!html)`(?:[^`\\]|\\.)*`|^\s*\/(?!\*).*\/[a-z]*$/g

function withoutLongestLiteral(line: string): string {
  const literals = line.match(LITERAL) ?? []
  const longest = literals.reduce((one, other) => (other.length > one.length ? other : one), '')
  return line.replace(longest, '')
}

test('no line of src has more than 120 characters, but for strings that cannot break', () => {
  const isLong = (line: string) => line.length > 120 && withoutLongestLiteral(line).length > 120
  const long = files.flatMap((file) =>
    (source.get(file) ?? '').split('\n').flatMap((line, at) => (isLong(line) ? [`${file}:${at + 1}`] : [])),
  )
  expect(long).toEqual([])
})
