/**
 * How fast records come in, go out and are scored again, each beside a bare loop that moves the same rows without us,
 * in the same run; and how much memory an import takes as its input grows.
 *
 *   npx bun bench/records.ts [--records 50000] [--rounds 3] [--memory 10000,1000000]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, tempFolder } from './measure.ts'
import { passportd, writePeople } from './record-files.ts'
import { measureRecords } from './record-rates.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    memory: { type: 'string', default: '10000,1000000' },
  },
})
const records = Number(values.records)
const rounds = Number(values.rounds)

const rates = await measureRecords(records, rounds)
const rows = Object.entries(rates).map(([what, { ours, bare }]) => ({
  what,
  'records a second': Math.round(median(ours)),
  'bare loop': Math.round(median(bare)),
  ratio: Number((median(ours) / median(bare)).toFixed(2)),
  spread: `${Math.round(Math.min(...ours))}-${Math.round(Math.max(...ours))}`,
}))
console.table(rows)
const memory = []
for (const count of values.memory.split(',').map(Number)) memory.push(await measureMemory(count))
console.table(memory)
console.log(JSON.stringify({ records, rounds, rows, memory }))

async function measureMemory(count: number) {
  using folder = tempFolder()
  const path = join(folder.path, 'people.jsonl')
  writePeople(path, count)
  const { seconds, megabytes } = await passportd(join(folder.path, 'people.db'), 'import', path)
  return {
    records: count,
    'most memory (MB)': Math.round(megabytes),
    'records a second': Math.round(count / seconds),
  }
}
