import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createWalLimit } from '../../src/store/sqlite/wal-checkpoint.ts'
import { tempFolder } from '../support/temp.ts'

test('a reader that goes on and on is waited for once, then let be', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'test.db')
  using writer = new Database(path)
  writer.run('pragma journal_mode = wal')
  writer.run('create table rows (body blob)')
  using reader = new Database(path)
  reader.run('begin')
  reader.query('select * from rows').all()
  writer.run('insert into rows values (zeroblob(40000000))')
  const limit = createWalLimit(path, writer)
  const timed = () => {
    const begin = performance.now()
    limit()
    return performance.now() - begin
  }
  expect(timed()).toBeGreaterThan(900)
  await Bun.sleep(250)
  expect(timed()).toBeLessThan(500)
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(40_000_000)
})
