import { Database } from 'bun:sqlite'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess, start } from '../../test/support/cli.ts'
import { until } from '../../test/support/processes.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { check, type Scenario } from '../scenario.ts'
import { checkIntegrity } from '../support/random-kill.ts'

/** Lines that are saved together. */
const BATCH = 500
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 2) ?? [] }))
const FIRST_ID = INVENTED[0]?.id ?? 0
const EDITIONS = 8
const LONGEST_WAIT_MILLISECONDS = 600

/** The backup is restored where a restore was killed before. */
export const backup: Scenario = {
  name: 'backup',
  title:
    'SIGKILL of a backup and of a restore during import, scoring and serving, then one of each to its end',
  long: 10,
  short: 1,
  async run(times, fail) {
    using folder = tempFolder()
    const cwd = folder.path
    const file = join(cwd, 'backup.db')
    const live = { cwd, env: { DATABASE_URL: 'sqlite:live.db' } }
    const restored = { cwd, env: { DATABASE_URL: 'sqlite:restored.db' } }
    await using server = await serveProcess([], live)
    const importing = startImporting(live)
    let [last, withStale] = [0, 0]
    try {
      await until(async () => (await totalAt(server.url)) >= BATCH)
      for (let time = 1; time <= times; time++) {
        await check(fail, `backup ${time}`, async () => {
          await Bun.sleep(Math.random() * LONGEST_WAIT_MILLISECONDS)
          await startAndKill(['backup', file, '--force'], live)
          if (existsSync(file)) inspect(file)
          await succeed(['backup', file, '--force'], live)
          await killRestore(file, restored)
          await succeed(['restore', file, '--force'], restored)
          const { passports, stale } = inspect(join(cwd, 'restored.db'))
          await checkResponses(restored, passports)
          if (passports < last) throw new Error(`${passports} passports after ${last} in the last backup`)
          if (stale > 0) withStale++
          last = passports
        })
        for (const name of new Bun.Glob('restored.db.before-*').scanSync(cwd)) rmSync(join(cwd, name))
      }
    } finally {
      await importing.stop()
    }
    return { count: times, note: `up to ${last} passports, stale scores in ${withStale}` }
  },
}

type Place = { cwd: string; env: Record<string, string> }

/** New people and data points, file after file; later, changed data points. */
function startImporting(place: Place) {
  let isStopped = false
  let child: ReturnType<typeof start> | undefined
  const loop = (async () => {
    for (let round = 0; !isStopped; round++) {
      const edition = 1 + (round % EDITIONS)
      const points = PEOPLE.map(({ id }) => ({
        passport: id + edition * 1000,
        type: 'github',
        value: (id + round) % 90,
      }))
      writeFileSync(join(place.cwd, 'people.jsonl'), linesOf(PEOPLE, edition) + toLines(...points))
      child = start(['import', 'people.jsonl'], place)
      await child.exited
    }
  })()
  return {
    async stop() {
      isStopped = true
      child?.kill('SIGKILL')
      await loop
    },
  }
}

async function succeed(args: string[], place: Place): Promise<void> {
  const { code, err } = await run(args, place)
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${err.trim()}`)
}

async function startAndKill(args: string[], place: Place): Promise<void> {
  const child = start(args, place)
  await Bun.sleep(Math.random() * LONGEST_WAIT_MILLISECONDS)
  child.kill('SIGKILL')
  await child.exited
}

/** Leaves the old database or the new one, whole. */
async function killRestore(file: string, place: Place): Promise<void> {
  const path = join(place.cwd, 'restored.db')
  const before = existsSync(path) ? inspect(path).passports : undefined
  await startAndKill(['restore', file, '--force'], place)
  if (!existsSync(path)) {
    if (before !== undefined) throw new Error('a killed restore left no database')
    return
  }
  const { passports } = inspect(path)
  if (passports !== before && passports !== inspect(file).passports)
    throw new Error(`a killed restore left ${passports} passports`)
}

/** Throws if the file is damaged or has half a batch. */
function inspect(path: string): { passports: number; stale: number } {
  checkIntegrity(path)
  using database = new Database(path, { readonly: true })
  const count = (from: string) =>
    database.query<{ count: number }, []>(`select count(*) as count from ${from}`).get()?.count ?? 0
  const [passports, points] = [count('passports'), count('data_points')]
  if (passports % BATCH !== 0 || points % BATCH !== 0)
    throw new Error(`half a batch: ${passports} passports, ${points} data points`)
  return { passports, stale: count('passports where stale = 1') }
}

async function checkResponses(place: Place, passports: number): Promise<void> {
  await using server = await serveProcess([], place)
  const total = await totalAt(server.url)
  if (total !== passports) throw new Error(`${total} of ${passports} passports are listed`)
  for (const [id, expected] of [
    [FIRST_ID, 404],
    [FIRST_ID + 1000, 200],
  ]) {
    const { status } = await fetch(`${server.url}/api/v1/passports/${id}`)
    if (status !== expected) throw new Error(`passport ${id}: ${status} instead of ${expected}`)
  }
}

async function totalAt(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/passports?per_page=1`)
  const { pagination } = (await response.json()) as { pagination: { total: number } }
  return pagination.total
}
