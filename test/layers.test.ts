import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The layers that each layer may import, by the first folder below src; each may also import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  config: ['domain'],
  store: ['domain', 'config'],
  scoring: ['domain', 'store'],
  catalog: ['domain', 'store', 'thread-calls.ts'],
  ingest: ['domain', 'store', 'scoring'],
  api: ['domain', 'store', 'catalog'],
  explorer: ['domain', 'config', 'store', 'catalog', 'api', 'thread-calls.ts'],
  mcp: ['domain', 'store', 'catalog', 'scoring', 'api', 'config', 'log.ts', 'version.ts'],
  serve: [
    'domain',
    'store',
    'catalog',
    'scoring',
    'api',
    'explorer',
    'config',
    'log.ts',
    'thread-calls.ts',
    'version.ts',
  ],
  cli: [
    'domain',
    'store',
    'catalog',
    'scoring',
    'ingest',
    'api',
    'explorer',
    'mcp',
    'serve',
    'config',
    'log.ts',
    'version.ts',
  ],
  'log.ts': [],
  'thread-calls.ts': ['domain'],
  'version.ts': [],
}

/** These run on any platform: without Bun, and with only files and fetch of Node. */
const PURE = ['domain', 'scoring', 'ingest']

const SRC = join(import.meta.dir, '../src')
const files = [...new Bun.Glob('**/*.ts').scanSync(SRC)].filter((file) => !file.endsWith('.d.ts'))
const layerOf = (path: string) => path.split('/')[0] ?? path

function importsOf(file: string, folder = SRC): string[] {
  const source = readFileSync(join(folder, file), 'utf8')
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string)
}

test('every file of src belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !(layerOf(file) in MAY_IMPORT))).toEqual([])
})

test('imports follow the table of layers', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name)))
      .filter((target) => target !== '../package.json')
      .filter(
        (target) =>
          layerOf(target) !== layerOf(file) && !MAY_IMPORT[layerOf(file)]?.includes(layerOf(target)),
      )
      .map((target) => `${file} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('pure layers do not use Bun', () => {
  const wrong = files
    .filter((file) => PURE.includes(layerOf(file)))
    .filter((file) => /\bBun\b|'bun[:']/.test(readFileSync(join(SRC, file), 'utf8')))
  expect(wrong).toEqual([])
})

test('the client imports only its own files and does not use Bun or Node', () => {
  const folder = join(import.meta.dir, '../packages/client/src')
  const sources = [...new Bun.Glob('**/*').scanSync(folder)]
  expect(sources.length).toBeGreaterThan(4)
  for (const file of sources) {
    const source = readFileSync(join(folder, file), 'utf8')
    const imports = importsOf(file, folder)
    expect(imports.filter((name) => !sources.includes(normalize(join(dirname(file), name))))).toEqual([])
    expect(source.match(/\b(Bun|process|Buffer|global|require)\b[.([]|import\.meta/)).toBeNull()
  }
})

test('only the store contains SQL', () => {
  const wrong = files
    .filter((file) => layerOf(file) !== 'store')
    .filter((file) =>
      /bun:sqlite|[`'"]\s*(select|insert into|insert or|update|delete from)\s/.test(
        readFileSync(join(SRC, file), 'utf8'),
      ),
    )
  expect(wrong).toEqual([])
})

test('only main.ts reads the environment and exits the process', () => {
  const uses = (text: string) => files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes(text))
  expect(uses('process.env')).toEqual(['cli/main.ts'])
  expect(uses('process.exit(')).toEqual(['cli/main.ts'])
})

const ROOT = join(import.meta.dir, '..')
const GENERATED = /(^|\/)(node_modules|dist|data|golden|fixtures)\//
const sources = [...new Bun.Glob('{src,packages,test,bench,stress,deploy}/**/*.{ts,js,css}').scanSync(ROOT)]
  .filter((file) => !GENERATED.test(file))
  .toSorted()
const tests = sources.filter((file) => file.endsWith('.test.ts'))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const MAX_LINES = 300

test('no source file has more than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(200)
  const long = sources.filter((file) => read(file).trimEnd().split('\n').length > MAX_LINES)
  expect(long).toEqual([])
})

test('no folder has more than 20 source files', () => {
  const folders = Map.groupBy(
    sources.filter((file) => !file.includes('/migrations/')),
    (file) => dirname(file),
  )
  const large = [...folders].filter(([, { length }]) => length > 20).map(([folder]) => folder)
  expect(large).toEqual([])
})

test('no catch block is empty without a comment', () => {
  const empty = /catch\s*(\([^)]*\)\s*)?\{\s*\}/
  expect('try {} catch (error) {\n}').toMatch(empty)
  expect(sources.filter((file) => file !== 'test/layers.test.ts' && empty.test(read(file)))).toEqual([])
})

/** Code without comments and strings, and with templates on one line. */
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
