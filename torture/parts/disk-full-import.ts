import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { INVENTED, linesOf } from '../../test/support/lines.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { faultOfRefusal, runCommand } from '../command.ts'
import { type Disk, makeDisk, takeOut } from '../disk.ts'
import type { Part } from '../part.ts'

const NAME = 'people.db'
/** Lines that are kept or lost together. */
const BATCH = 500
/** With a credential each: what matters is how many batches there are. */
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 1) ?? [] }))
const LINES = linesOf(PEOPLE)
/** A little more than it needs. */
const MOST = 4 * 1024 * 1024

const placeOf = ({ path, within }: Pick<Disk, 'path' | 'within'>) => ({
  cwd: path,
  database: join(path, NAME),
  within: within(),
})

/** How many passports there are; throws where the file is not sound. */
function countSound(disk: Disk): number {
  using folder = tempFolder()
  takeOut(disk, folder.path)
  using database = new Database(join(folder.path, NAME))
  const found = database
    .query<{ integrity_check: string }, []>('pragma integrity_check')
    .get()?.integrity_check
  if (found !== 'ok') throw new Error(`the file is not sound: ${found}`)
  const isFilled = database.query(`select 1 from sqlite_schema where name = 'passports'`).get() !== null
  return isFilled
    ? (database.query<{ count: number }, []>('select count(*) as count from passports').get()?.count ?? 0)
    : 0
}

async function importOnce(
  disk: Disk,
  left: number,
  expected: string,
): Promise<{ wrong?: string; isFull: boolean }> {
  writeFileSync(join(disk.outside, 'people.jsonl'), LINES)
  disk.fill(left)
  const ended = await runCommand(['import', 'people.jsonl'], placeOf(disk))
  const isFull = ended.code !== 0
  const refusal = isFull ? faultOfRefusal(ended, NAME) : undefined
  if (refusal !== undefined) return { wrong: refusal, isFull }
  const count = countSound(disk)
  if (count % BATCH !== 0) return { wrong: `${count} passports are no whole batches`, isFull }
  disk.clear()
  const again = await runCommand(['import', 'people.jsonl'], placeOf(disk))
  if (again.code !== 0) return { wrong: `with room again it ended with ${again.code}: ${again.err}`, isFull }
  const { out } = await runCommand(['export'], placeOf(disk))
  return out === expected ? { isFull } : { wrong: 'it did not end as if undisturbed', isFull }
}

export const diskFullImport: Part = {
  name: 'disk-full-import',
  what: 'an import until the disk is full, resumed with room',
  long: 20,
  short: 2,
  async run(times, tell) {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'people.jsonl'), LINES)
    const undisturbed = { cwd: folder.path, database: join(folder.path, NAME) }
    await runCommand(['import', 'people.jsonl'], undisturbed)
    const { out: expected } = await runCommand(['export'], undisturbed)
    const random = createRandom(times)
    let lost = 0
    let full = 0
    for (let turn = 0; turn < times; turn++) {
      using disk = await makeDisk(turn)
      // From none to enough.
      const left = Math.floor((MOST * (turn + random.next())) / times)
      const { wrong, isFull } = await importOnce(disk, left, expected)
      if (isFull) full++
      if (wrong === undefined) continue
      lost++
      tell(`with ${left} bytes left: ${wrong}`)
    }
    return { count: times, lost, note: `${full} times it was full` }
  },
}
