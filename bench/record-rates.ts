import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { bareExport, bareImport, bareRescore } from './bare-records.ts'
import { manyPeople } from './many-people.ts'
import { tempFolder } from './measure.ts'
import { passportd, removeDatabase, writePeople } from './record-files.ts'

/** Records a second in each round, ours and those of a bare loop that moves the same rows. */
export type RecordRates = Record<'import' | 'export' | 'rescore', { ours: number[]; bare: number[] }>

export async function measureRecords(records: number, rounds: number): Promise<RecordRates> {
  using folder = tempFolder()
  const file = (name: string) => join(folder.path, name)
  const ours = async (database: string, ...args: string[]) =>
    records / (await passportd(database, ...args)).seconds
  const bare = (work: () => void) => records / secondsOf(work)

  writePeople(file('people.jsonl'), records)
  const rates: RecordRates = {
    import: { ours: [], bare: [] },
    export: { ours: [], bare: [] },
    rescore: { ours: [], bare: [] },
  }
  for (let round = 0; round < rounds; round++) {
    const [own, other] = [file('ours.db'), file('bare.db')]
    rates.import.ours.push(await ours(own, 'import', file('people.jsonl')))
    openSqlite(other).close()
    rates.import.bare.push(bare(() => bareImport(other, manyPeople(records))))
    rates.export.ours.push(await ours(own, 'export', file(`out-${round}.jsonl`)))
    rates.export.bare.push(bare(() => bareExport(other, file('bare.jsonl'))))
    markStale(own)
    rates.rescore.ours.push(await ours(own, 'score'))
    rates.rescore.bare.push(bare(() => bareRescore(other)))
    removeDatabase(own)
    removeDatabase(other)
  }
  return rates
}

function secondsOf(work: () => void): number {
  const begin = performance.now()
  work()
  return (performance.now() - begin) / 1000
}

function markStale(path: string): void {
  const database = new Database(path)
  database.run('update passports set stale = 1')
  database.close()
}
