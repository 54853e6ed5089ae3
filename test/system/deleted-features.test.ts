import { expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { FEATURES } from '../support/program/features.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../..')
const COPIED = [
  ...['src', 'packages', 'test', 'bench', 'stress', 'deploy', 'docs'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'bunfig.toml', 'CHANGELOG.md'],
]

/** The folders with a folder of each feature. */
const FOLDERS = ['src', 'test', 'test/system', 'bench']

/** The files that have a line of a feature. */
const LISTS = ['src/features.ts', 'test/model/frozen-versions.ts', 'test/support/frozen/frozen-versions.ts']

const SOURCE = '{src,packages,test,bench,stress,deploy}/**/*.ts'

/** Features that no other one needs. The client package has the types of webhooks. */
const DELETABLE = FEATURES.filter(
  ({ name }) => name !== 'webhooks' && !FEATURES.some(({ needs = [] }) => needs.some((feature) => feature.name === name)),
).map(({ name }) => name)

const isSource = (path: string) => !/\/(node_modules|dist|data)(\/|$)/.test(path.slice(ROOT.length))

function copyProject(to: string): void {
  for (const name of COPIED)
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(to, name), { recursive: true, filter: isSource })
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

const targetsOf = (root: string, file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, name = '']) =>
    normalize(join(dirname(file), name)).replace(/\?text$/, ''),
  )

/** Deletes features: their folders, their lines, and the tests and tools that import them, directly or by other files. */
function deleteFeatures(root: string, names: readonly string[]): string[] {
  for (const folder of FOLDERS)
    for (const name of names) rmSync(join(root, folder, 'features', name), { recursive: true, force: true })
  for (const list of LISTS)
    writeFileSync(join(root, list), withoutFeatures(readFileSync(join(root, list), 'utf8'), names))
  const deleted: string[] = []
  for (;;) {
    const files = [...new Bun.Glob(SOURCE).scanSync(root)].filter(isSource)
    const broken = files.filter((file) => targetsOf(root, file).some((target) => !existsSync(join(root, target))))
    const tests = broken.filter((file) => /^(test|bench|stress)\//.test(file))
    for (const file of tests) rmSync(join(root, file))
    deleted.push(...tests)
    if (tests.length === 0) return deleted
  }
}

async function run(cwd: string, command: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out: out + err }
}
