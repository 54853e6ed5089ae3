import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import { check, type Scenario } from '../run-scenario.ts'
import { countUsage, refusalProblem, runCommand, tryToServe } from '../support/command.ts'
import { canMount, type Disk, makeDisk, optionsOn } from '../support/small-disk.ts'

const NAME = 'people.db'
const PATHS = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]
/** Enough for the WAL and the shared memory of SQLite. */
const LEFT_BYTES = 256 * 1024

/** A passport that is scored in the background; no checked response contains it. */
const UNSCORED = toLines(
  { passport_id: 999_999, passport_profile: { display_name: 'Zzz' } },
  { passport: 999_999, type: 'github', value: 1 },
)

type ValidDatabase = { path: string; responses: string[] }

export const diskFullServe: Scenario = {
  name: 'disk-full-serve',
  title: 'a server whose disk is full, and has free space again',
  long: 10,
  short: 1,
  async run(times, fail) {
    using folder = tempFolder()
    const valid = await createValid(folder.path)
    for (let round = 0; round < times; round++) {
      using disk = await makeDisk(round)
      await check(fail, disk.reportsSpace ? 'full disk' : 'file size limit', () => serveOnce(disk, valid))
    }
    return { count: times, ...(!canMount && { note: 'with a file size limit' }) }
  },
}

/** Creates a database with one unscored passport. `responses` has the expected responses of the other passports. */
async function createValid(folder: string): Promise<ValidDatabase> {
  const path = join(folder, NAME)
  const options = { cwd: folder, database: path }
  await Bun.write(join(folder, 'people.jsonl'), linesOf(INVENTED.slice(0, 200)))
  await Bun.write(join(folder, 'unscored.jsonl'), UNSCORED)
  await runCommand(['import', 'people.jsonl'], options)
  await runCommand(['score'], options)
  await runCommand(['import', 'unscored.jsonl'], options)
  copyFileSync(path, `${path}.valid`)
  await using server = await tryToServe(options)
  return { path: `${path}.valid`, responses: await request(server.url as string) }
}

async function request(url: string): Promise<string[]> {
  const responses: string[] = []
  for (const path of PATHS) {
    const response = await fetch(`${url}/api/v1/${path}`)
    responses.push(`${response.status} ${await response.text()}`)
  }
  return responses
}

async function serveOnce(disk: Disk, valid: ValidDatabase): Promise<void> {
  copyFileSync(valid.path, join(disk.outside, NAME))
  disk.fill(LEFT_BYTES)
  await using server = await tryToServe(optionsOn(disk, NAME))
  const { url, child } = server
  if (url === undefined) return expectNone(refusalProblem(await server.stop(), NAME))
  disk.fill(0, child.pid)
  await checkFull(disk, url, valid)
  const lines = server.log().split('\n').length

  disk.clear(child.pid)
  const key = await runCommand(['keys', 'create', '--name', 'b'], optionsOn(disk, NAME))
  if (key.code !== 0) throw new Error(`with free space, keys create exited with ${key.code}: ${key.err}`)
  const headers = { 'X-API-KEY': key.out.trim() }
  const response = await fetch(`${url}/api/v1/passports/7`, { headers })
  if (response.status !== 200)
    throw new Error(`with free space, a request with a new key: status ${response.status}`)
  if (!Bun.deepEquals(await request(url), valid.responses))
    throw new Error('with free space, responses differ')
  await until(async () => (await readyAt(url)) === '200 {"status":"ready","writes":"ok"}')
  const { code, err } = await server.stop()
  if (code !== 0) throw new Error(`serve exited with ${code}: ${err}`)
  if (lines > 20) throw new Error(`serve logged ${lines} lines; at most 20 are expected`)
  const requests = 2 * PATHS.length + 1
  const counted = await countUsage(optionsOn(disk, NAME))
  if (counted !== requests) throw new Error(`${counted} of ${requests} requests were counted`)
}

async function checkFull(disk: Disk, url: string, valid: ValidDatabase): Promise<void> {
  if (!Bun.deepEquals(await request(url), valid.responses))
    throw new Error('on a full disk, responses differ')
  const ready = await readyAt(url)
  if (ready !== `200 {"status":"ready","writes":"${disk.reportsSpace ? 'unavailable' : 'ok'}"}`)
    throw new Error(`/ready responded ${ready}`)
  const key = await runCommand(['keys', 'create', '--name', 'a'], optionsOn(disk, NAME))
  if (key.code !== 0) expectNone(refusalProblem(key, NAME))
}

async function readyAt(url: string): Promise<string> {
  const response = await fetch(`${url}/ready`)
  return `${response.status} ${await response.text()}`
}

function expectNone(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem)
}
