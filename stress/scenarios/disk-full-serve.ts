import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/support/processes.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { check, type Scenario } from '../scenario.ts'
import { countUsage, refusalProblem, runCommand, tryToServe } from '../support/command.ts'
import { canMount, type Disk, makeDisk, placeOn } from '../support/disk.ts'

const NAME = 'people.db'
const PATHS = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]
/** Enough for SQLite's own files. */
const LEFT_BYTES = 256 * 1024

/** Is scored in the background, and in none of the responses. */
const UNSCORED = toLines(
  { passport_id: 999_999, passport_profile: { display_name: 'Zzz' } },
  { passport: 999_999, type: 'github', value: 1 },
)

type Good = { path: string; responses: string[] }

export const diskFullServe: Scenario = {
  name: 'disk-full-serve',
  title: 'a server whose disk is full, and has free space again',
  long: 10,
  short: 1,
  async run(times, fail) {
    using folder = tempFolder()
    const good = await makeGood(folder.path)
    for (let turn = 0; turn < times; turn++) {
      using disk = await makeDisk(turn)
      await check(fail, disk.reportsSpace ? 'full disk' : 'limited files', () => serveOnce(disk, good))
    }
    return { count: times, ...(!canMount && { note: 'by a limit on the size of files' }) }
  },
}

/** A database with one unscored passport, and the responses about the others. */
async function makeGood(folder: string): Promise<Good> {
  const path = join(folder, NAME)
  const place = { cwd: folder, database: path }
  await Bun.write(join(folder, 'people.jsonl'), linesOf(INVENTED.slice(0, 200)))
  await Bun.write(join(folder, 'unscored.jsonl'), UNSCORED)
  await runCommand(['import', 'people.jsonl'], place)
  await runCommand(['score'], place)
  await runCommand(['import', 'unscored.jsonl'], place)
  copyFileSync(path, `${path}.good`)
  await using server = await tryToServe(place)
  return { path: `${path}.good`, responses: await request(server.url as string) }
}

async function request(url: string): Promise<string[]> {
  const responses: string[] = []
  for (const path of PATHS) {
    const response = await fetch(`${url}/api/v1/${path}`)
    responses.push(`${response.status} ${await response.text()}`)
  }
  return responses
}

async function serveOnce(disk: Disk, good: Good): Promise<void> {
  copyFileSync(good.path, join(disk.outside, NAME))
  disk.fill(LEFT_BYTES)
  await using server = await tryToServe(placeOn(disk, NAME))
  const { url, child } = server
  if (url === undefined) return expectNone(refusalProblem(await server.stop(), NAME))
  disk.fill(0, child.pid)
  await checkFull(disk, url, good)
  const lines = server.log().split('\n').length

  disk.clear(child.pid)
  const key = await runCommand(['keys', 'create', '--name', 'b'], placeOn(disk, NAME))
  if (key.code !== 0) throw new Error(`with free space, keys create ended with ${key.code}: ${key.err}`)
  const headers = { 'X-API-KEY': key.out.trim() }
  const response = await fetch(`${url}/api/v1/passports/7`, { headers })
  if (response.status !== 200) throw new Error(`with free space, a new key: ${response.status}`)
  if (!Bun.deepEquals(await request(url), good.responses))
    throw new Error('with free space, responses differ')
  await until(async () => (await readyAt(url)) === '200 {"status":"ready","writes":"ok"}')
  const { code, err } = await server.stop()
  if (code !== 0) throw new Error(`it ended with ${code}: ${err}`)
  if (lines > 20) throw new Error(`it logged ${lines} lines`)
  const requests = 2 * PATHS.length + 1
  const counted = await countUsage(placeOn(disk, NAME))
  if (counted !== requests) throw new Error(`${counted} of ${requests} requests were counted`)
}

async function checkFull(disk: Disk, url: string, good: Good): Promise<void> {
  if (!Bun.deepEquals(await request(url), good.responses)) throw new Error('on a full disk, responses differ')
  const ready = await readyAt(url)
  if (ready !== `200 {"status":"ready","writes":"${disk.reportsSpace ? 'unavailable' : 'ok'}"}`)
    throw new Error(`/ready: ${ready}`)
  const key = await runCommand(['keys', 'create', '--name', 'a'], placeOn(disk, NAME))
  if (key.code !== 0) expectNone(refusalProblem(key, NAME))
}

async function readyAt(url: string): Promise<string> {
  const response = await fetch(`${url}/ready`)
  return `${response.status} ${await response.text()}`
}

function expectNone(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem)
}
