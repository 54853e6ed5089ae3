import { Database } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createWalLimit } from '../../../src/core/store/database/sqlite/database.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { openSqlite } from '../../support/store/open.ts'
import { named, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a process sees its own writes at once, although its reads share a transaction', async () => {
  using folder = tempFolder()
  await using store = await openSqlite(join(folder.path, 'x.db'))
  for (let turn = 0; turn < 20; turn++) {
    await saveRecords(store, [named(1, `Person ${turn}`)])
    expect(await store.passports.find({ id: 1 })).toMatchObject({
      profile: { displayName: `Person ${turn}` },
    })
  }
})

/** This many batches write 400 MB. */
const MOST_BATCHES = 100

test('the WAL is truncated even while another thread reads all the time', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  const reading = new Worker(new URL('../../support/threads/busy-reader.ts', import.meta.url))
  await new Promise((resolve) => {
    reading.onmessage = resolve
    reading.postMessage(path)
  })
  // Each call advances the clock by a minute, so that every batch checks the size of the WAL.
  let time = performance.now()
  const clock = spyOn(performance, 'now').mockImplementation(() => {
    time += 60_000
    return time
  })
  const bio = 'x'.repeat(80_000)
  let size = 0
  let largest = 0
  // Automatic checkpoints never shrink the WAL. On a busy machine, several attempts to truncate the WAL can fail.
  for (let batch = 0; size >= largest && batch < MOST_BATCHES; batch++) {
    largest = size
    const people = Array.from({ length: 50 }, (_, at) =>
      record(batch * 50 + at, { profile: { displayName: `Person ${at}`, bio } }),
    )
    await saveRecords(store, people)
    size = statSync(`${path}-wal`).size
  }
  clock.mockRestore()
  expect(largest).toBeGreaterThan(16 * 1024 * 1024)
  expect(size).toBeLessThan(largest)
  reading.terminate()
})

test('a checkpoint that a long read blocks delays only one write, and a failed checkpoint makes only one write fail', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  using writer = new Database(path)
  writer.run('pragma journal_mode = wal')
  writer.run('create table rows (body blob)')
  using reader = new Database(path)
  reader.run('begin')
  reader.query('select * from rows').all()
  writer.run('insert into rows values (zeroblob(40000000))')
  const clock = spyOn(performance, 'now').mockReturnValue(1000)
  using statements = spyOn(writer, 'query')
  const { limit: limitWal } = createWalLimit(path, writer)
  const countAt = (time: number) => {
    clock.mockReturnValue(time)
    limitWal(() => {})
    return statements.mock.calls.length
  }
  expect(countAt(1000)).toBe(1)
  expect(countAt(1250)).toBe(1)
  statements.mockImplementationOnce(() => {
    throw new Error('on purpose')
  })
  expect(() => countAt(22_001)).toThrow('on purpose')
  expect(countAt(22_250)).toBe(2)
  reader.run('rollback')
  expect(countAt(43_002)).toBe(3)
  clock.mockRestore()
  expect(statSync(`${path}-wal`).size).toBe(0)
})
