import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { foldName } from '../../src/domain/text/fold-name.ts'
import type { Random } from '../../src/ingest/demo/random.ts'
import { exportRecords } from '../../src/ingest/export.ts'
import type { Store } from '../../src/store/store.ts'
import type { workplace } from '../../test/support/cli-sandbox.ts'

export type Workplace = Awaited<ReturnType<typeof workplace>>

/** Kills a process at a random moment within so many milliseconds; false if it had ended by itself. */
export function killWithin(child: Bun.Subprocess, milliseconds: number, random: Random): Promise<boolean> {
  const moment = performance.now() + milliseconds * random.next()
  return killWhen(child, () => performance.now() >= moment)
}

export async function killWhen(child: Bun.Subprocess, isTime: () => boolean | Promise<boolean>) {
  while (child.exitCode === null && !(await isTime())) await Bun.sleep(1)
  child.kill('SIGKILL')
  await child.exited
  return child.signalCode === 'SIGKILL'
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Throws if SQLite finds the file damaged. */
export function checkFile({ env, database: path }: Workplace): void {
  // A command that is killed early has not created it yet.
  if (env.DATABASE_URL.startsWith('sqlite:') && existsSync(path)) checkIntegrity(path)
}

export function checkIntegrity(path: string): void {
  // A read-only connection could not read the WAL that a killed process leaves.
  using database = new Database(path, { readwrite: true })
  const problems = [
    ...database.query('pragma integrity_check').values().flat(),
    ...database.query('pragma foreign_key_check').values(),
  ]
  if (problems.join() !== 'ok') throw new Error(`${path} is damaged: ${problems.join(', ')}`)
}

type Texts = Record<string, string>

/** The export, and every V1 response. */
export async function everythingIn(here: Workplace): Promise<Texts> {
  return { ...(await exportOf(here)), ...(await here.look(responsesIn)) }
}

export const exportOf = (here: Workplace): Promise<Texts> =>
  here.look(async (store) => {
    let text = ''
    for await (const some of exportRecords(store)) text += some.text
    return Object.fromEntries(text.split('\n').map((line, at) => [`line ${at}`, line]))
  })

const KEYWORDS = ['a', 'an', 'ann', 'Łó', 'demo', 'no match']

/** The V1 bodies of all listed passports, by path, and the ranking. */
export async function responsesIn(store: Store): Promise<Texts> {
  const { v1 } = store
  const catalog = createCatalog(store)
  const ids = [...(await catalog.current()).ids]
  const texts: Texts = { ranking: ids.join(), items: (await v1.listItems(ids)).join() }
  for (const id of ids) {
    const body = (await v1.findPassport({ id }))?.body ?? 'missing'
    texts[`passports/${id}`] = body
    texts[`passport_credentials?passport_id=${id}`] = (await v1.findCredentials({ id }))?.body ?? 'missing'
    const wallet: string = JSON.parse(body).passport.main_wallet
    if (wallet) texts[`passports/${wallet}`] = (await v1.findPassport({ wallet }))?.body ?? 'missing'
  }
  for (const text of KEYWORDS) {
    const { ids, total } = await catalog.find({ page: 1, size: 25, keyword: foldName(text) })
    texts[`keyword ${text}`] = `${ids.join()} of ${total}`
  }
  return texts
}

/** Throws, with the first difference. */
export function checkSame(actual: Texts, expected: Texts): void {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  const different = [...names].filter((name) => actual[name] !== expected[name])
  const [first] = different
  if (first === undefined) return
  throw new Error(
    `${different.length} differ, such as ${first}: ${actual[first]} instead of ${expected[first]}`,
  )
}

/** Each run calculates scores at another time. */
export const withoutDates = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.replaceAll(/"last_calculated_at":"[^"]*"/g, '')]),
  )

export async function succeed<T extends { code: number; err: string }>(running: Promise<T>): Promise<T> {
  const result = await running
  if (result.code !== 0) throw new Error(`The command ended with ${result.code}: ${result.err}`)
  return result
}

export const countPassports = (here: Workplace) => here.look(({ passports }) => passports.count())

/** How many requests the usage of all days counts. */
export async function countUsage({ usage }: Store): Promise<number> {
  const counts = await usage.list({ since: '0000-01-01', until: '9999-12-31' })
  return counts.reduce((sum, { count }) => sum + count, 0)
}
