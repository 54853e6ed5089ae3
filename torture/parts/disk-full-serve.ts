import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { INVENTED, linesOf } from '../../test/support/lines.ts'
import { until } from '../../test/support/processes.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { countUsage, faultOfRefusal, runCommand, tryToServe } from '../command.ts'
import { canMount, type Disk, makeDisk } from '../disk.ts'
import type { Part } from '../part.ts'

const NAME = 'people.db'
const ASKED = [
  'passports?per_page=100',
  'passports?keyword=a',
  'passports/7',
  'passport_credentials?passport_id=7',
]
/** Enough for SQLite's own files, but not for documents. */
const LEFT = 256 * 1024

type Good = { path: string; answers: string[] }

const placeOf = ({ path, within }: Pick<Disk, 'path' | 'within'>) => ({
  cwd: path,
  database: join(path, NAME),
  within: within(),
})

async function ask(url: string): Promise<string[]> {
  const answers: string[] = []
  for (const path of ASKED) {
    const answer = await fetch(`${url}/api/v1/${path}`)
    answers.push(`${answer.status} ${await answer.text()}`)
  }
  return answers
}

/** A file with scored people, and what is answered of them. */
async function makeGood(folder: string): Promise<Good> {
  const path = join(folder, NAME)
  const place = { cwd: folder, database: path }
  await Bun.write(join(folder, 'people.jsonl'), linesOf(INVENTED.slice(0, 200)))
  await runCommand(['import', 'people.jsonl'], place)
  await runCommand(['score'], place)
  // What the server makes ahead must not be there yet on the disk that is full.
  copyFileSync(path, `${path}.good`)
  await using server = await tryToServe(place)
  return { path: `${path}.good`, answers: await ask(server.url as string) }
}

async function serveOnce(disk: Disk, good: Good): Promise<string | undefined> {
  copyFileSync(good.path, join(disk.outside, NAME))
  disk.fill(LEFT)
  await using server = await tryToServe(placeOf(disk))
  const { url, child } = server
  if (url === undefined) return faultOfRefusal(await server.end(), NAME)
  disk.fill(0, child.pid)

  const isRight = async () => Bun.deepEquals(await ask(url), good.answers)
  const asked = 2 * ASKED.length + 1
  const hasTold = () => /wait to be made|Scoring failed/.test(server.said())
  // It is killed where that never comes.
  await until(() => hasTold() || child.exitCode !== null || child.signalCode !== null)
  if (!hasTold()) return `it does not say what is wrong: ${server.said()}`
  if (!(await isRight())) return 'it answers otherwise on a full disk'
  const ready = await fetch(`${url}/ready`)
  const readiness = `${ready.status} ${await ready.text()}`
  if (readiness !== `200 {"status":"ready","writes":"${disk.isSeen ? 'unavailable' : 'ok'}"}`)
    return `/ready is answered ${readiness}`
  const key = await runCommand(['keys', 'create', '--name', 'a'], placeOf(disk))
  if (key.code !== 0 && faultOfRefusal(key, NAME)) return `keys create: ${faultOfRefusal(key, NAME)}`
  const told = server.said().split('\n').length

  disk.clear(child.pid)
  const later = await runCommand(['keys', 'create', '--name', 'b'], placeOf(disk))
  if (later.code !== 0) return `with room again, keys create ended with ${later.code}: ${later.err}`
  const answer = await fetch(`${url}/api/v1/passports/7`, { headers: { 'X-API-KEY': later.out.trim() } })
  if (answer.status !== 200) return `with room again, a new key is answered ${answer.status}`
  if (!(await isRight())) return 'it answers otherwise with room again'
  const { code, err } = await server.end()
  if (code !== 0) return `it ended with ${code}: ${err}`
  if (told > 20) return `it logged ${told} lines`
  const counted = await countUsage(placeOf(disk))
  return counted === asked ? undefined : `of ${asked} requests ${counted} are counted`
}

export const diskFullServe: Part = {
  name: 'disk-full-serve',
  what: 'a server on a disk that is full, and has room again',
  long: 10,
  short: 1,
  async run(times, tell) {
    using folder = tempFolder()
    const good = await makeGood(folder.path)
    let lost = 0
    for (let turn = 0; turn < times; turn++) {
      using disk = await makeDisk(turn)
      const wrong = await serveOnce(disk, good)
      if (wrong === undefined) continue
      lost++
      tell(wrong)
    }
    return { count: times, lost, ...(!canMount && { note: 'by a limit on the length of files' }) }
  },
}
