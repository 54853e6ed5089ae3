import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { foldName } from '../../src/core/basics/text/fold-name.ts'
import { createLocalIndex } from '../../src/core/cli/local-index.ts'
import { RANKING } from '../../src/core/lists/list-request.ts'
import type { Store } from '../../src/core/store/store.ts'
import { exportRecords } from '../../src/features/records/export.ts'
import type { workplace } from '../../test/support/cli-sandbox.ts'
import { USAGE } from '../../test/support/features/keys.ts'
import { pathsOfFrozen } from '../../test/support/frozen/frozen-versions.ts'
import { serveTest } from '../../test/support/http/server.ts'

export type Sandbox = Awaited<ReturnType<typeof workplace>>

/** Throws if the SQLite file is corrupt. */
export function checkFile({ env, database: path }: Sandbox): void {
  // A command that is killed early has not created the file yet.
  if (env.DATABASE_URL.startsWith('sqlite:') && existsSync(path)) checkIntegrity(path)
}

export function checkIntegrity(path: string): void {
  // A read-only connection cannot read the WAL of a killed process.
  using database = new Database(path, { readwrite: true })
  const problems = [
    ...database.query('pragma integrity_check').values().flat(),
    ...database.query('pragma foreign_key_check').values(),
  ]
  if (problems.join() !== 'ok') throw new Error(`${path} is corrupt: ${problems.join(', ')}`)
}

export type Texts = Record<string, string>

/** The lines of the export, and every response about a passport. The keys are line numbers and paths. */
export async function everythingIn(sandbox: Sandbox): Promise<Texts> {
  return { ...(await exportOf(sandbox)), ...(await sandbox.look(responsesIn)) }
}

/** Leaves out the times at which data points were added, which differ between runs. */
const exportOf = (sandbox: Sandbox): Promise<Texts> =>
  sandbox.look(async (store) => {
    let text = ''
    for await (const chunk of exportRecords(store)) text += chunk.text.replaceAll(/,"added_at":"[^"]*"/g, '')
    return Object.fromEntries(text.split('\n').map((line, at) => [`line ${at}`, line]))
  })

const KEYWORDS = ['a', 'an', 'ann', 'Łó', 'demo', 'no match']

/** The paths of all responses about a passport. */
export const pathsOf = (key: string | number): string[] => [
  `/api/v3/passports/${key}?include=credentials`,
  ...pathsOfFrozen(key),
]

/** The ranking, the search results, and the bodies of all listed passports, which have their paths as keys. */
export async function responsesIn(store: Store): Promise<Texts> {
  await using server = serveTest(store)
  const index = createLocalIndex(store)
  const find = async (keyword?: string) =>
    (await index.call('list', { request: { ...RANKING, keyword, limit: Number.MAX_SAFE_INTEGER - 1 } })).ids
  const ids = await find()
  const texts: Texts = { ranking: ids.join() }
  for (const id of ids) {
    const wallet = (await store.passports.find({ id }))?.mainWallet
    for (const path of [id, ...(wallet ? [wallet] : [])].flatMap(pathsOf))
      texts[path] = (await server.get(path)).text
  }
  for (const text of KEYWORDS) {
    texts[`keyword ${text}`] = (await find(foldName(text))).join()
  }
  return texts
}

/** Throws an error with the first difference. */
export function checkSame(actual: Texts, expected: Texts): void {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  const different = [...names].filter((name) => actual[name] !== expected[name])
  const [first] = different
  if (first === undefined) return
  throw new Error(
    `${different.length} texts differ; ${first} is ${actual[first]}, expected ${expected[first]}`,
  )
}

/** Removes the calculation times, which differ between runs. */
export const withoutDates = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.replaceAll(/"last_calculated_at":"[^"]*"/g, '')]),
  )

export const countPassports = (sandbox: Sandbox) => sandbox.look(({ passports }) => passports.count())

/** Returns the number of requests in the usage counts of all days. */
export async function countUsage(store: Store): Promise<number> {
  const counts = await store.data(USAGE).list({ since: '0000-01-01', until: '9999-12-31' })
  return counts.reduce((sum, { count }) => sum + count, 0)
}
