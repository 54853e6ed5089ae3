import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { Random } from '../src/ingest/demo/random.ts'
import { exportRecords } from '../src/ingest/export.ts'
import type { Store } from '../src/store/store.ts'
import { serveTest } from '../test/support/server.ts'
import type { workplace } from '../test/support/workplace.ts'

export type Workplace = Awaited<ReturnType<typeof workplace>>

/** Kills a process at a random moment of so many milliseconds; tells whether it had not ended by itself. */
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

export const isFile = ({ env }: Workplace) => env.DATABASE_URL.startsWith('sqlite:')

/** What SQLite itself says of the file; a server keeps its own. */
export function checkFile(here: Workplace): void {
  // Who is killed early has not made it yet.
  if (!isFile(here) || !existsSync(here.database)) return
  using database = new Database(here.database, { readwrite: true })
  const faults = [
    ...database.query('pragma integrity_check').values().flat(),
    ...database.query('pragma foreign_key_check').values(),
  ]
  if (faults.join() !== 'ok') throw new Error(`the file is damaged: ${faults.join(', ')}`)
}

/** What anybody can get out of it: the export, and every answer. */
export async function everythingIn(here: Workplace): Promise<Record<string, string>> {
  return {
    ...(await linesOfExport(here)),
    ...byName('rows', Object.entries(await here.look(answersOf))),
  }
}

export const linesOfExport = (here: Workplace) =>
  here.look(async (store) => {
    let text = ''
    for await (const some of exportRecords(store)) text += some.text
    return byName('line', text.split('\n').entries())
  })

const KEYWORDS = ['a', 'an', 'ann', 'Łó', 'demo', 'nobody at all']

/** What is answered about all listed passports, by path. */
export async function answersOf(store: Store): Promise<Record<string, string>> {
  await using server = serveTest(store)
  const answers: Record<string, string> = {}
  const ask = async (path: string) => {
    const response = await fetch(new URL(`/api/v1/${path}`, server.url))
    const text = await response.text()
    answers[path] = `${response.status} ${text}`
    if (!response.ok) throw new Error(`${path} is answered ${answers[path]}`)
    return JSON.parse(text)
  }
  for (let page = 1, last = 1; page <= last; page++) {
    const { passports, pagination } = await ask(`passports?page=${page}&per_page=100`)
    last = pagination.last_page
    const aboutOne = passports.flatMap(({ passport_id: id, main_wallet: wallet }: Listed) => [
      `passports/${id}`,
      `passport_credentials?passport_id=${id}`,
      ...(wallet ? [`passports/${wallet}`] : []),
    ])
    await Promise.all(aboutOne.map(ask))
  }
  for (const keyword of KEYWORDS) await ask(`passports?keyword=${encodeURIComponent(keyword)}`)
  return answers
}

type Listed = { passport_id: number; main_wallet: string | null }

const byName = (name: string, entries: Iterable<[string | number, string]>) =>
  Object.fromEntries([...entries].map(([key, value]) => [`${name} ${key}`, value]))

/** Of what differs the first is told. */
export function checkSame(got: Record<string, string>, expected: Record<string, string>): void {
  const names = new Set([...Object.keys(expected), ...Object.keys(got)])
  const different = [...names].filter((name) => got[name] !== expected[name])
  const [first] = different
  if (first === undefined) return
  throw new Error(`${different.length} differ, such as ${first}: ${got[first]} instead of ${expected[first]}`)
}

/** When it was worked out is another time in each run. */
export const withoutDates = (everything: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(everything).map(([name, text]) => [
      name,
      text.replaceAll(/"last_calculated_at":"[^"]*"/g, ''),
    ]),
  )

export async function succeed<T extends { code: number; err: string }>(running: Promise<T>): Promise<T> {
  const result = await running
  if (result.code !== 0) throw new Error(`it ended with ${result.code}: ${result.err}`)
  return result
}

export const countPassports = (here: Workplace) =>
  here.look(async ({ passports }) => (await passports.list({ page: 1, size: 1, keyword: undefined })).total)
