/**
 * Lists, for each kind of operation on SQLite, the files of src with a line that runs in every such operation.
 *
 *   npx bun bench/files-per-operation/main.ts
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'

const COUNT = 100
const LIMITS = {
  'by id': 14,
  keyword: 24,
  'filtered list': 30,
  'profile page': 45,
  'import of one line': 24,
}
const ROOT = join(import.meta.dir, '../..')

/** Returns how often each line ran. The names of lines are such as `src/core/basics/log.ts:7`. */
async function countLines(operation: string, count: number): Promise<Map<string, number>> {
  using folder = tempFolder()
  const { exited } = Bun.spawn(
    [
      ...[
        process.execPath,
        'test',
        '--coverage',
        '--coverage-reporter=lcov',
        `--coverage-dir=${folder.path}`,
      ],
      './bench/files-per-operation/operations.ts',
    ],
    {
      cwd: ROOT,
      env: { ...process.env, OPERATION: operation, COUNT: String(count) },
      stdout: 'ignore',
      stderr: 'ignore',
    },
  )
  if ((await exited) !== 0)
    throw new Error('The operations failed: npx bun test ./bench/files-per-operation/operations.ts')
  const lines = new Map<string, number>()
  for (const record of readFileSync(join(folder.path, 'lcov.info'), 'utf8').split('end_of_record')) {
    const file = /^SF:(.*)$/m.exec(record)?.[1]
    if (!file?.startsWith('src/')) continue
    for (const [, line, runs] of record.matchAll(/^DA:(\d+),(\d+)$/gm))
      lines.set(`${file}:${line}`, Number(runs))
  }
  return lines
}

for (const [operation, limit] of Object.entries(LIMITS)) {
  // The first operation also builds the index of filters.
  const once = await countLines(operation, 1)
  const some = await countLines(operation, COUNT + 1)
  const lines = [...some].filter(([line, runs]) => runs - (once.get(line) ?? 0) >= COUNT)
  const files = [...new Set(lines.map(([line]) => line.slice(0, line.indexOf(':'))))]
  console.log(`${operation}: ${files.length} files of src (at most ${limit})`)
  for (const file of files) console.log(`  ${file}`)
  if (files.length > limit) process.exitCode = 1
}
