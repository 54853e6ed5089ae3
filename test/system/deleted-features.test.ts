import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { FEATURES } from '../support/program/features.ts'

const ROOT = join(import.meta.dir, '../..')
/** The folders with a folder of each feature. */
const FOLDERS = ['src', 'test', 'test/system', 'bench']

/** The files that have a line of a feature. */
const LISTS = ['src/features.ts', 'test/model/frozen-versions.ts', 'test/support/frozen/frozen-versions.ts']

/** Features that no other one needs. The client package has the types of webhooks. */
const DELETABLE = FEATURES.filter(
  ({ name }) =>
    name !== 'webhooks' && !FEATURES.some(({ needs = [] }) => needs.some((feature) => feature.name === name)),
).map(({ name }) => name)

const isSource = (path: string) => !/\/(node_modules|dist|data)(\/|$)/.test(path.slice(ROOT.length))

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
