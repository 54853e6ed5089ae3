import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

export const isFile = (path: string) => existsSync(join(ROOT, path))
export const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** All pages except decisions. */
export const PAGES = [
  'README.md',
  'packages/client/README.md',
  'packages/python/README.md',
  ...[...new Bun.Glob('docs/**/*.md').scanSync(ROOT)].filter((path) => !path.includes('/decisions/')).sort(),
]

/** Returns the cells of each table row whose first cell begins with code. Other rows are headers. */
export const rowsOf = (page: string) =>
  [...readPage(page).matchAll(/^\| (`.*?) *\|$/gm)].map(([, row = '']) => row.split(/ *\| */))

export const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
