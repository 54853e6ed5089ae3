import { expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FEATURES } from '../support/program/features.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../..')
const COPIED = [
  ...['src', 'packages', 'test', 'bench', 'stress', 'deploy'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
]
const FOLDERS = ['src', 'test', 'test/system', 'bench']

/** The only files that import the folders of these features, each in a list. */
const LISTS = ['src/features.ts', 'test/model/frozen-versions.ts', 'test/support/frozen/frozen-versions.ts']

/** Removes the imports from folders of features, and the imported names from the lists. */
function withoutFeatures(code: string, names: readonly string[]): string {
  const imported = new RegExp(`^import \\{ (\\w+) \\} from '.*/features/(?:${names.join('|')})/.*'\\n`, 'gm')
  const lists = [...code.matchAll(imported)].map(([, list]) => list)
  if (lists.length === 0) return code
  const entries = new RegExp(`(?:\\.\\.\\.)?\\b(?:${lists.join('|')})\\b,?`, 'g')
  return code.replaceAll(imported, '').replaceAll(entries, '')
}

/** Copies the sources without these features and their tests. */
function deleteFeatures(to: string, names: readonly string[]): void {
  const isSource = (path: string) => !/\/(node_modules|dist|data)(\/|$)/.test(path.slice(ROOT.length))
  for (const name of COPIED) cpSync(join(ROOT, name), join(to, name), { recursive: true, filter: isSource })
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
  for (const folder of FOLDERS)
    for (const name of names) rmSync(join(to, folder, 'features', name), { recursive: true, force: true })
  for (const list of LISTS)
    writeFileSync(join(to, list), withoutFeatures(readFileSync(join(ROOT, list), 'utf8'), names))
}

test('the frozen versions can be deleted: without their folders and their lines in the lists, everything else compiles', async () => {
  const names = ['v1', 'v2', 'later']
  const needing = FEATURES.filter(({ needs = [] }) => needs.some(({ name }) => names.includes(name)))
  expect(needing.filter(({ name }) => !names.includes(name))).toEqual([])
  using folder = tempFolder()
  deleteFeatures(folder.path, names)
  for (const name of names) expect(existsSync(join(folder.path, 'src/features', name))).toBe(false)
  const tsc = Bun.spawn([join(ROOT, 'node_modules/.bin/tsc'), '--noEmit'], {
    cwd: folder.path,
    stdout: 'pipe',
  })
  expect([await new Response(tsc.stdout).text(), await tsc.exited]).toEqual(['', 0])
})
