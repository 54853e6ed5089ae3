import { readPage } from './named-tests.ts'

/** The cells of all table rows of a page that begin with code; other rows are headers. */
export const rowsOf = (page: string) =>
  readPage(page)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

export const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
