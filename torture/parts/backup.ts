import { Database } from 'bun:sqlite'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess, start } from '../../test/support/cli.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/lines.ts'
import { tempFolder } from '../../test/support/temp.ts'
import type { Part } from '../part.ts'

/** How many lines are saved together. */
const BATCH = 500
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 2) ?? [] }))
const EDITIONS = 8
const MOST_WAIT_MILLISECONDS = 600

/** A backup at a random moment of import, scoring and serving, restored elsewhere, where a restore was killed before. */
export const backup: Part = {
  name: 'backup',
  what: 'SIGKILL of a backup and of a restore during import, scoring and serving, and one of each that ends',
  long: 10,
  short: 1,
  async run(times, tell) {
    using folder = tempFolder()
    const cwd = folder.path
    const file = join(cwd, 'backup.db')
    const live = { cwd, env: { DATABASE_URL: 'sqlite:live.db' } }
    const restored = { cwd, env: { DATABASE_URL: 'sqlite:restored.db' } }
    await using server = await serveProcess([], live)
    const importing = startImporting(live)
    let lost = 0
    let last = 0
    let during = 0
    try {
      await until(async () => (await totalAt(server.url)) >= BATCH)
      for (let time = 0; time < times; time++) {
        const problems: string[] = []
        await Bun.sleep(Math.random() * MOST_WAIT_MILLISECONDS)
        await startAndKill(['backup', file, '--force'], live)
        if (existsSync(file)) problems.push(...inspect(file).problems)
        problems.push(...(await expectDone('backup', ['backup', file, '--force'], live)))
        problems.push(...(await killRestore(file, restored)))
        problems.push(...(await expectDone('restore', ['restore', file, '--force'], restored)))
        const found = inspect(join(cwd, 'restored.db'))
        problems.push(...found.problems, ...(await inspectAnswers(restored, found)))
        if (found.passports < last)
          problems.push(`${found.passports} passports, and there were ${last} before`)
        if (found.stale > 0) during++
        last = found.passports
        if (problems.length > 0) lost++
        for (const problem of problems) tell(`backup ${time + 1}: ${problem}`)
        clearKept(cwd)
      }
    } finally {
      await importing.stop()
    }
    return { count: times, lost, note: `up to ${last} passports, scores waiting in ${during}` }
  },
}

type Place = { cwd: string; env: Record<string, string> }

/** New people and facts about them, file after file; when they are many, other facts. */
function startImporting(place: Place) {
  let isOver = false
  let child: ReturnType<typeof start> | undefined
  const loop = (async () => {
    for (let round = 0; !isOver; round++) {
      const edition = 1 + (round % EDITIONS)
      const facts = PEOPLE.map(({ id }) => ({
        passport: id + edition * 1000,
        type: 'github',
        value: (id + round) % 90,
      }))
      writeFileSync(join(place.cwd, 'people.jsonl'), linesOf(PEOPLE, edition) + toLines(...facts))
      child = start(['import', 'people.jsonl'], place)
      await child.exited
    }
  })()
  return {
    async stop() {
      isOver = true
      child?.kill('SIGKILL')
      await loop
    },
  }
}

async function expectDone(what: string, args: string[], place: Place): Promise<string[]> {
  const { code, err } = await run(args, place)
  return code === 0 ? [] : [`${what} ended with ${code}: ${err.trim()}`]
}

async function startAndKill(args: string[], place: Place): Promise<void> {
  const child = start(args, place)
  await Bun.sleep(Math.random() * MOST_WAIT_MILLISECONDS)
  child.kill('SIGKILL')
  await child.exited
}

/** Whatever was there before is there, or all of the new one. */
async function killRestore(file: string, place: Place): Promise<string[]> {
  const path = join(place.cwd, 'restored.db')
  const before = existsSync(path) ? inspect(path).passports : undefined
  await startAndKill(['restore', file, '--force'], place)
  if (!existsSync(path)) return before === undefined ? [] : ['a killed restore left no database']
  const { passports, problems } = inspect(path)
  const isOne = passports === before || passports === inspect(file).passports
  return [...problems, ...(isOne ? [] : [`a killed restore left ${passports} passports`])]
}

function inspect(path: string) {
  using database = new Database(path, { readonly: true })
  const count = (sql: string) =>
    database.query<{ count: number }, []>(`select count(*) as count ${sql}`).get()?.count ?? 0
  const passports = count('from passports')
  const facts = count('from data_points')
  const problems: string[] = []
  const damage = database
    .query<{ integrity_check: string }, []>('pragma integrity_check')
    .get()?.integrity_check
  if (damage !== 'ok') problems.push(`integrity: ${damage}`)
  if (passports % BATCH !== 0 || facts % BATCH !== 0)
    problems.push(`half a batch: ${passports} passports, ${facts} facts`)
  const strays = database.query('pragma foreign_key_check').all().length
  if (strays > 0) problems.push(`${strays} rows of no passport`)
  return { passports, problems, stale: count('from passports where stale = 1') }
}

async function inspectAnswers(place: Place, { passports }: { passports: number }): Promise<string[]> {
  await using server = await serveProcess([], place)
  const total = await totalAt(server.url)
  const one = await fetch(`${server.url}/api/v1/passports/${INVENTED[0]?.id ?? 0}`)
  const last = await fetch(`${server.url}/api/v1/passports/${(INVENTED[0]?.id ?? 0) + 1000}`)
  const problems = total === passports ? [] : [`${total} passports are served of ${passports}`]
  if (one.status !== 404) problems.push(`a passport that was never there is answered with ${one.status}`)
  if (last.status !== 200) problems.push(`the first passport is answered with ${last.status}`)
  return problems
}

async function totalAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/passports?per_page=1`)
  const { pagination } = (await answer.json()) as { pagination: { total: number } }
  return pagination.total
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(20)
}

/** What restores have put aside. */
function clearKept(folder: string): void {
  for (const name of new Bun.Glob('restored.db.before-*').scanSync(folder)) rmSync(join(folder, name))
}
