import { codeIn, rowsOf } from './tables.ts'

/** A request of docs/migrate.md; `headers` are lines, and `sameAs` is a path with the same response. */
export type MigrateRequest = {
  method: string
  path: string
  headers: string[]
  status: number
  sameAs: string | undefined
}

export const MIGRATE_REQUESTS: MigrateRequest[] = rowsOf('docs/migrate.md')
  .filter(([request = '']) => /^`[A-Z]+ \//.test(request))
  .map(([request = '', status = '', sameAs = '']) => {
    const [line = '', ...headers] = codeIn(request)
    const [method = '', path = ''] = line.split(' ')
    return { method, path, headers, status: Number(status), sameAs: codeIn(sameAs)[0] }
  })
