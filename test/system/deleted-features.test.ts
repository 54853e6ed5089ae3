import { expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { readLines } from '../support/log-lines.ts'
import { FEATURES } from '../support/program/features.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/wait-until.ts'

const ROOT = join(import.meta.dir, '../..')
const COPIED = [
  ...['src', 'packages', 'test', 'bench', 'stress', 'deploy', 'docs'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'bunfig.toml', 'CHANGELOG.md'],
]

/** The folders with a folder of each feature. */
const FOLDERS = ['src', 'test', 'test/system', 'bench']

/** The files that have a line of a feature. */
const LISTS = ['src/features.ts', 'test/model/frozen-versions.ts', 'test/support/frozen/frozen-versions.ts']

/** What passes without them: the golden files and all other tests of V1. */
const KEPT_TESTS = ['test/features/v1']

/** Features that no other one needs. The client package has the types of webhooks. */
const DELETABLE = FEATURES.filter(
  ({ name }) =>
    name !== 'webhooks' && !FEATURES.some(({ needs = [] }) => needs.some((feature) => feature.name === name)),
).map(({ name }) => name)

const isSource = (path: string) => !/\/(node_modules|dist|data)(\/|$)/.test(path.slice(ROOT.length))

function copyProject(to: string): void {
  for (const name of COPIED)
    if (existsSync(join(ROOT, name)))
      cpSync(join(ROOT, name), join(to, name), { recursive: true, filter: isSource })
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
}

/** Removes the imports from folders of features, and the imported names from the lists. */
function withoutFeatures(code: string, names: readonly string[]): string {
  const imported = new RegExp(`^import \\{ (\\w+) \\} from '.*/features/(?:${names.join('|')})/.*'\\n`, 'gm')
  const lists = [...code.matchAll(imported)].map(([, list]) => list)
  if (lists.length === 0) return code
  const entries = new RegExp(`(?:\\.\\.\\.)?\\b(?:${lists.join('|')})\\b,?`, 'g')
  return code.replaceAll(imported, '').replaceAll(entries, '')
}

/** The files of the project that a file imports, types included. */
const targetsOf = (file: string, code: string) =>
  [...code.matchAll(/^(?:import|export|\} from)\b[^'"`]*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)]
    .map(([, name = '', loaded = '']) => normalize(join(dirname(file), name + loaded)).replace(/\?text$/, ''))
    .filter((target) => existsSync(join(ROOT, target)))

const SOURCES = new Map(
  [...new Bun.Glob('{src,packages,test,bench,stress,deploy}/**/*.ts').scanSync(ROOT)]
    .filter((file) => isSource(join(ROOT, file)))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
)

/** The folders of features, and the tests and tools that import their files, directly or by other ones. */
function listDeleted(names: readonly string[]): Set<string> {
  const folders = FOLDERS.flatMap((folder) => names.map((name) => `${folder}/features/${name}/`))
  const deleted = new Set(
    [...SOURCES.keys()].filter((file) => folders.some((folder) => file.startsWith(folder))),
  )
  for (let size = -1; size < deleted.size; ) {
    size = deleted.size
    for (const [file, code] of SOURCES)
      if (/^(test|bench|stress)\//.test(file) && !LISTS.includes(file))
        if (targetsOf(file, code).some((target) => deleted.has(target))) deleted.add(file)
  }
  return deleted
}

/** The files of the program that import deleted ones. */
const listBroken = (names: readonly string[], deleted: ReadonlySet<string>) =>
  [...SOURCES].flatMap(([file, code]) => {
    const rest = LISTS.includes(file) ? withoutFeatures(code, names) : code
    const isBroken = targetsOf(file, rest).some((target) => deleted.has(target))
    return isBroken && !deleted.has(file) ? [file] : []
  })

test.each(DELETABLE)('nothing else of the program imports the feature %s', (name) => {
  const deleted = listDeleted([name])
  expect(deleted.size).toBeGreaterThan(0)
  expect(listBroken([name], deleted)).toEqual([])
})

test('an import of another feature without needs is found', () => {
  const [file, code] = ['src/features/explorer/routes.ts', "import { COPY } from '../copy/statements.ts'\n"]
  const before = SOURCES.get(file) as string
  SOURCES.set(file, code + before)
  expect(listBroken(['copy'], listDeleted(['copy']))).toEqual([file])
  SOURCES.set(file, before)
})

async function run(cwd: string, command: readonly string[]) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, TIER: 'quick' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out: out + err }
}

test('without all of these features, the rest compiles, V1 responds as before, and the service starts', async () => {
  // The document of V1 promises the headers of its retirement.
  const names = DELETABLE.filter((name) => name !== 'retire')
  using folder = tempFolder()
  const root = folder.path
  copyProject(root)
  for (const file of listDeleted(names)) rmSync(join(root, file))
  for (const list of LISTS)
    writeFileSync(join(root, list), withoutFeatures(readFileSync(join(ROOT, list), 'utf8'), names))
  expect(await run(root, [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit'])).toEqual({ code: 0, out: '' })
  const { code, out } = await run(root, [process.execPath, 'test', '--timeout=600000', ...KEPT_TESTS])
  expect([code, code === 0 ? '' : out]).toEqual([0, ''])
  const env = { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${join(root, 'new.db')}` }
  const service = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], { cwd: root, env, stderr: 'pipe' })
  try {
    const log = readLines(service.stderr)
    await until(() => log.some((line) => line.includes('Started.')))
    const { url } = JSON.parse(log.find((line) => line.includes('Started.')) as string)
    const statuses = ['/api/v1/passports', '/api/v3/passports', '/health', '/openapi.json', '/movers/none']
    expect(await Promise.all(statuses.map(async (path) => (await fetch(url + path)).status))).toEqual([
      200, 200, 200, 200, 404,
    ])
  } finally {
    service.kill()
    await service.exited
  }
})
