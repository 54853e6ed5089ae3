import { Database } from 'bun:sqlite'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { expectComplete, expectTrue } from '../../test/support/documents.ts'
import { databaseMaker, saveRecords } from '../../test/support/engines.ts'
import { INVENTED } from '../../test/support/lines.ts'
import { workplace } from '../../test/support/workplace.ts'
import { checkFile, killWithin, timeOf, type Workplace } from '../kills.ts'
import { createLedger } from '../ledger.ts'
import type { Part } from '../part.ts'

const MAKING = join(import.meta.dir, '../../test/support/making.ts')
const PEOPLE = INVENTED.filter(({ stale }) => !stale).slice(0, 500)

export const killDocuments: Part = {
  name: 'kill-documents',
  what: 'SIGKILL while documents are made',
  long: 20,
  short: 1,
  async run(times, tell) {
    const ledger = createLedger(tell)
    const random = createRandom(23)
    await using here = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
    const make = () =>
      Bun.spawn([process.execPath, MAKING, here.database], { stdio: ['ignore', 'pipe', 'pipe'] })
    const duration = await timeOf(() => make().exited)

    let inside = 0
    for (let kill = 1; kill <= times; ) {
      // Some change, or all are to have another form: then they are made anew, in files of another name.
      const changed = random.sample(PEOPLE, 300).map((each) => ({ ...each, connections: kill }))
      if (random.chance(0.7)) await here.look((store) => saveRecords(store, changed))
      else changeForm(here)
      if (await killWithin(make(), duration, random)) kill = ledger.count() + 1
      await ledger.check(`kill ${kill - 1}`, async () => {
        checkFile(here)
        checkFiles(here, 2 * KINDS)
        const refs = random.sample(PEOPLE, 100)
        await using store = await here.open(V1_PRESS.form)
        await expectTrue(store, refs)
        inside += countWaiting(here) > 0 ? 1 : 0
      })
    }
    await ledger.check('at the end', async () => {
      await make().exited
      checkFiles(here, KINDS)
      await using store = await here.open(V1_PRESS.form)
      await expectTrue(store, PEOPLE)
      await expectComplete(store, PEOPLE)
    })
    return ledger.outcome(`${inside} left some to be made`)
  },
}

/** A generation is a file of passports, one of credentials and one of their places. */
const KINDS = 3

/** More than one transaction of the maker writes. */
const UNNAMED_BYTES = 1024 * 1024

function documentFiles({ database }: Workplace): string[] {
  const folder = dirname(database)
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(database)}-documents-`))
    .map((name) => join(folder, name))
}

/** What a kill leaves behind is written over, or removed by whoever comes next. */
function checkFiles(here: Workplace, most: number): void {
  const files = documentFiles(here)
  if (files.length > most) throw new Error(`there are ${files.length} files: ${files.join(', ')}`)
  using database = new Database(here.database, { readonly: true })
  const { written } = database
    .query('select passports_end + credentials_end as written from document_state')
    .get() as { written: number }
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0)
  if (files.length <= KINDS && bytes > written + UNNAMED_BYTES)
    throw new Error(`${bytes} bytes hold ${written}`)
}

function changeForm({ database }: Workplace): void {
  using file = new Database(database, { readwrite: true })
  file.run("update document_state set form = 'of another version'")
}

function countWaiting({ database }: Workplace): number {
  using file = new Database(database, { readonly: true })
  return (file.query('select count(*) as count from undocumented').get() as { count: number }).count
}
