import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The layers that each layer may import, besides itself. A layer is a folder or file directly below src. */
const READING = ['domain', 'store', 'catalog']
const RUNNING = ['config', 'log.ts', 'version.ts']
const SERVING = [...READING, ...RUNNING, 'scoring', 'api', 'explorer']
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  config: ['domain'],
  store: ['domain', 'config'],
  scoring: ['domain', 'store'],
  catalog: ['domain', 'store', 'thread-calls.ts'],
  ingest: ['domain', 'store', 'scoring'],
  api: READING,
  explorer: [...READING, 'config', 'api', 'thread-calls.ts', 'version.ts'],
  mcp: [...READING, ...RUNNING, 'scoring', 'api'],
  serve: [...SERVING, 'thread-calls.ts'],
  cli: [...SERVING, 'ingest', 'mcp', 'serve'],
  'log.ts': [],
  'thread-calls.ts': ['domain'],
  'version.ts': [],
}

/** Layers that run on any platform: they do not use Bun. */
const PURE = ['domain', 'scoring', 'ingest']

const SRC = join(import.meta.dir, '../src')
const files = [...new Bun.Glob('**/*.ts').scanSync(SRC)].filter((file) => !file.endsWith('.d.ts'))
const layerOf = (path: string) => path.split('/')[0] ?? path

const importsIn = (code: string) =>
  [...code.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string)

const source = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))
const filesWith = (text: RegExp, among = files) => among.filter((file) => text.test(source.get(file) ?? ''))
const targetsOf = (file: string) =>
  importsIn(source.get(file) ?? '')
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)))

test('every file of src belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !(layerOf(file) in MAY_IMPORT))).toEqual([])
})

test('imports follow the table of layers', () => {
  const isAllowed = (from: string, to: string) => from === to || MAY_IMPORT[from]?.includes(to)
  const outside = ['../package.json', '../packages/client/src/exchange.ts']
  const wrong = files.flatMap((file) =>
    targetsOf(file)
      .filter((target) => !outside.includes(target) && !isAllowed(layerOf(file), layerOf(target)))
      .map((target) => `${file} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

/** Files in a folder v1 or v2, and files whose name begins with v1 or v2. */
const isDeprecated = (path: string) => /(^|\/)v[12](\/|[-.])/.test(path)

/** Files outside the store that connect V1 and V2 to the rest. The store renders V1 JSON when it writes. */
const JOINTS = ['api/routes.ts', 'ingest/mirror.ts']

test('only the store, the files of V1 and V2, and the files that connect them import files of V1 or V2', () => {
  const wrong = files
    .filter((file) => !isDeprecated(file) && layerOf(file) !== 'store' && !JOINTS.includes(file))
    .flatMap((file) =>
      targetsOf(file)
        .filter(isDeprecated)
        .map((target) => `${file} imports ${target}`),
    )
  expect(wrong).toEqual([])
  expect(isDeprecated('domain/v1/schemas.ts') && isDeprecated('ingest/v1-response.ts')).toBe(true)
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
test('only the threads that serve requests load the schemas', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const loaded = new Set(['cli/commands/serve.ts'])
  for (const name of ['writer', 'search', 'picture', 'check', 'backup', 'delivery'])
    loaded.add(`serve/${name}-thread.ts`)
  for (const file of loaded)
    for (const { kind, path } of transpiler.scanImports(source.get(file) ?? ''))
      if (kind === 'import-statement') loaded.add(path.startsWith('.') ? join(dirname(file), path) : path)
  expect(loaded.size).toBeGreaterThan(50)
  expect([...loaded].filter((name) => name.startsWith('typebox'))).toEqual([])
})

/** The folders that each folder of the explorer may import. A page never imports the folder of another page. */
const PAGE_IMPORTS = ['design', 'site', 'search', 'pictures']
const EXPLORER_IMPORTS: Record<string, readonly string[]> = {
  design: [],
  site: ['assets', 'design'],
  search: ['design', 'site'],
  pictures: ['design', 'site'],
  about: PAGE_IMPORTS,
  ranking: PAGE_IMPORTS,
  passport: PAGE_IMPORTS,
  credentials: PAGE_IMPORTS,
  compare: PAGE_IMPORTS,
  movers: PAGE_IMPORTS,
  verify: PAGE_IMPORTS,
  reference: PAGE_IMPORTS,
  me: PAGE_IMPORTS,
}

test('folders of the explorer import only folders in their allow list, and its root has only error-page.ts and explorer.ts', () => {
  const own = files.filter((file) => layerOf(file) === 'explorer')
  const isOfRoot = (file: string) => dirname(file) === 'explorer'
  expect(own.filter(isOfRoot).toSorted()).toEqual(['explorer/error-page.ts', 'explorer/explorer.ts'])
  const folderOf = (path: string) => path.split('/')[1] as string
  const isAllowed = (from: string, to: string) => from === to || EXPLORER_IMPORTS[from]?.includes(to)
  const wrong = own
    .filter((file) => !isOfRoot(file))
    .flatMap((file) =>
      targetsOf(file)
        .filter((target) => layerOf(target) === 'explorer' && !isAllowed(folderOf(file), folderOf(target)))
        .map((target) => `${file} imports ${target}`),
    )
  expect(wrong).toEqual([])
})

test('pure layers do not use Bun', () => {
  const pure = files.filter((file) => PURE.includes(layerOf(file)))
  expect(filesWith(/\bBun\b|'bun[:']/, pure)).toEqual([])
})

test('the client uses neither Bun nor Node, and only its types.ts and option-names.ts import files outside the client', () => {
  const folder = join(import.meta.dir, '../packages/client/src')
  const sources = [...new Bun.Glob('**/*').scanSync(folder)]
  expect(sources.length).toBeGreaterThan(4)
  for (const file of sources) {
    const source = readFileSync(join(folder, file), 'utf8')
    // The build of the package replaces the schemas and lists that these two files import.
    const imports = ['types.ts', 'option-names.ts'].includes(file) ? [] : importsIn(source)
    expect(imports.filter((name) => !sources.includes(normalize(join(dirname(file), name))))).toEqual([])
    expect(source.match(/\b(Bun|process|Buffer|global|require)\b[.([]|import\.meta/)).toBeNull()
  }
})

test('only the store contains SQL', () => {
  const others = files.filter((file) => layerOf(file) !== 'store')
  const sql = /bun:sqlite|[`'"]\s*(select|insert into|insert or|update|delete from)\s/
  expect(filesWith(sql, others)).toEqual([])
})

test('only main.ts exits the process and reads settings from the environment; version.ts asks how it was started', () => {
  expect(filesWith(/process\.env/).toSorted()).toEqual(['cli/main.ts', 'version.ts'])
  expect(filesWith(/process\.exit\(/)).toEqual(['cli/main.ts'])
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
