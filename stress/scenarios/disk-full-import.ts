import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../test/support/random.ts'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { check, type Scenario } from '../run-scenario.ts'
import { refusalProblem, runCommand } from '../support/command.ts'
import { checkIntegrity } from '../support/database-checks.ts'
import { copyFrom, type Disk, makeDisk, optionsOn } from '../support/small-disk.ts'

const NAME = 'people.db'
/** Lines that `import` saves in one transaction. */
const BATCH = 500
/** People with one credential each, so that a file of two batches is small. */
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 1) ?? [] }))
const LINES = linesOf(PEOPLE)
/** Slightly more space than the import needs. */
const MOST_BYTES = 6 * 1024 * 1024

export const diskFullImport: Scenario = {
  name: 'disk-full-import',
  title: 'an import until the disk is full, resumed with free space',
  long: 20,
  short: 1,
  async run(times, fail) {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'people.jsonl'), LINES)
    const undisturbed = { cwd: folder.path, database: join(folder.path, NAME) }
    await runCommand(['import', 'people.jsonl'], undisturbed)
    const { out: expected } = await runCommand(['export'], undisturbed)
    const random = createRandom(times)
    let full = 0
    for (let round = 0; round < times; round++) {
      using disk = await makeDisk(round)
      // The free space increases from round to round.
      const left = Math.floor((MOST_BYTES * (round + random.next())) / times)
      await check(fail, `with ${left} free bytes`, async () => {
        if (await importOnce(disk, left, expected)) full++
      })
    }
    return { count: times, note: `the disk was full ${full} times` }
  },
}

/** Returns whether the disk was full. */
async function importOnce(disk: Disk, left: number, expected: string): Promise<boolean> {
  const options = () => optionsOn(disk, NAME)
  writeFileSync(join(disk.outside, 'people.jsonl'), LINES)
  disk.fill(left)
  const ended = await runCommand(['import', 'people.jsonl'], options())
  const problem = ended.code === 0 ? undefined : refusalProblem(ended, NAME)
  if (problem) throw new Error(problem)
  const count = countPassports(disk)
  if (count % BATCH !== 0)
    throw new Error(`${count} passports were saved, which is not a multiple of ${BATCH}`)
  disk.clear()
  const again = await runCommand(['import', 'people.jsonl'], options())
  if (again.code !== 0) throw new Error(`with free space, import exited with ${again.code}: ${again.err}`)
  const { out } = await runCommand(['export'], options())
  if (out !== expected) throw new Error('the export differs from that of an undisturbed import')
  return ended.code !== 0
}

/** Throws if the file is corrupt. */
function countPassports(disk: Disk): number {
  using folder = tempFolder()
  copyFrom(disk, folder.path)
  const path = join(folder.path, NAME)
  checkIntegrity(path)
  using database = new Database(path)
  if (database.query(`select 1 from sqlite_schema where name = 'passports'`).get() === null) return 0
  return database.query<{ count: number }, []>('select count(*) as count from passports').get()?.count ?? 0
}
