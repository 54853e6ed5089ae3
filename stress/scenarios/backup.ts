import { Database } from 'bun:sqlite'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess, start } from '../../test/support/cli.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import { check, type Scenario } from '../run-scenario.ts'
import { checkIntegrity } from '../support/database-checks.ts'
import { succeed } from '../support/kill-process.ts'

/** Lines that `import` saves in one transaction. */
const BATCH = 500
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 2) ?? [] }))
const FIRST_ID = INVENTED[0]?.id ?? 0
const EDITIONS = 8

/** Each round kills a `restore`. The next `restore` must succeed on the same database. */
export const backup: Scenario = {
  name: 'backup',
  title:
    'SIGKILL of a backup and of a restore during import, scoring and serving, then one of each to its end',
  long: 10,
  short: 1,
  async run(times, fail) {
    const longestWait = times > 1 ? 600 : 300
    using folder = tempFolder()
    const cwd = folder.path
    const file = join(cwd, 'backup.db')
    const live = { cwd, env: { DATABASE_URL: 'sqlite:live.db' } }
    const restored = { cwd, env: { DATABASE_URL: 'sqlite:restored.db' } }
    await using server = await serveProcess([], live)
    const importing = startImporting(live, times > 1 ? PEOPLE : PEOPLE.slice(0, BATCH))
    let [last, withStale] = [0, 0]
    try {
      await until(async () => (await totalAt(server.url)) >= BATCH)
      for (let time = 1; time <= times; time++) {
        await check(fail, `backup ${time}`, async () => {
          await Bun.sleep(Math.random() * longestWait)
          await startAndKill(['backup', file, '--force'], live, longestWait)
          if (existsSync(file)) inspect(file)
          await succeed(run(['backup', file, '--force'], live))
          await killRestore(file, restored, longestWait)
          await succeed(run(['restore', file, '--force'], restored))
          const { passports, stale } = inspect(join(cwd, 'restored.db'))
          await checkResponses(restored, passports)
          if (passports < last) throw new Error(`${passports} passports, but ${last} in the backup before`)
          if (stale > 0) withStale++
          last = passports
        })
        for (const name of new Bun.Glob('restored.db.before-*').scanSync(cwd)) rmSync(join(cwd, name))
      }
    } finally {
      await importing.stop()
    }
    return { count: times, note: `up to ${last} passports, stale scores in ${withStale} backups` }
  },
}

type Options = { cwd: string; env: Record<string, string> }

/** Imports new people and data points, then changed data points of the same people. */
function startImporting(options: Options, people: typeof PEOPLE) {
  let isStopped = false
  let child: ReturnType<typeof start> | undefined
  const loop = (async () => {
    for (let round = 0; !isStopped; round++) {
      const edition = 1 + (round % EDITIONS)
      const points = people.map(({ id }) => ({
        passport: id + edition * 1000,
        type: 'github',
        value: (id + round) % 90,
      }))
      writeFileSync(join(options.cwd, 'people.jsonl'), linesOf(people, edition) + toLines(...points))
      child = start(['import', 'people.jsonl'], options)
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

async function startAndKill(args: string[], options: Options, longestWait: number): Promise<void> {
  const child = start(args, options)
  await Bun.sleep(Math.random() * longestWait)
  child.kill('SIGKILL')
  await child.exited
}

/** After the kill, the database must be completely the old one or completely the new one. */
async function killRestore(file: string, options: Options, longestWait: number): Promise<void> {
  const path = join(options.cwd, 'restored.db')
  const before = existsSync(path) ? inspect(path).passports : undefined
  await startAndKill(['restore', file, '--force'], options, longestWait)
  if (!existsSync(path)) {
    if (before !== undefined) throw new Error('a killed restore left no database')
    return
  }
  const { passports } = inspect(path)
  if (passports !== before && passports !== inspect(file).passports)
    throw new Error(`a killed restore left ${passports} passports`)
}

/** Throws if the file is corrupt or has an incomplete batch. */
function inspect(path: string): { passports: number; stale: number } {
  checkIntegrity(path)
  using database = new Database(path, { readonly: true })
  const count = (from: string) =>
    database.query<{ count: number }, []>(`select count(*) as count from ${from}`).get()?.count ?? 0
  const [passports, points] = [count('passports'), count('data_points')]
  if (passports % BATCH !== 0 || points % BATCH !== 0)
    throw new Error(`an incomplete batch: ${passports} passports, ${points} data points`)
  return { passports, stale: count('passports where stale = 1') }
}

async function checkResponses(options: Options, passports: number): Promise<void> {
  await using server = await serveProcess([], options)
  const total = await totalAt(server.url)
  if (total !== passports) throw new Error(`${total} of ${passports} passports are listed`)
  for (const [id, expected] of [
    [FIRST_ID, 404],
    [FIRST_ID + 1000, 200],
  ]) {
    const { status } = await fetch(`${server.url}/api/v3/passports/${id}`)
    if (status !== expected) throw new Error(`passport ${id}: status ${status}, expected ${expected}`)
  }
}

async function totalAt(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v3/passports?limit=1`)
  const { total } = (await response.json()) as { total: number }
  return total
}
