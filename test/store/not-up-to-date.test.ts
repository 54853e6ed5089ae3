import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/domain/database-address.ts'
import { openStore } from '../../src/store/open.ts'
import { SCHEMA } from '../../src/store/sqlite/migrate.ts'
import { withEveryEngine } from '../support/engines.ts'
import { listAll } from '../support/listing.ts'
import { tempFolder } from '../support/temp.ts'

withEveryEngine('a database that is not up to date', (makeDatabase) => {
  test('is refused by a process that may not migrate it, until another has', async () => {
    await using database = await makeDatabase({ bare: true })
    const address = parseDatabaseAddress(database.url) as DatabaseAddress
    const open = () => openStore(address, { create: false, migrate: false })
    const refusal =
      /There is no database \S+ yet|is not up to date \(schema 0, not \d+\): "import" or "serve"/
    await expect(open()).rejects.toThrow(refusal)
    await expect(open()).rejects.toThrow(refusal)
    await (await openStore(address)).close()
    const store = await open()
    expect(await listAll(store, { page: 1, size: 1, keyword: undefined })).toMatchObject({ total: 0 })
    await store.close()
  })
})

test.skipIf(process.platform !== 'linux')('a file that is refused is not held open', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'p.db')
  await (await openStore({ engine: 'sqlite', path })).close()
  const held = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
      } catch {
        return false
      }
    })
  for (const version of [SCHEMA - 1, SCHEMA + 1]) {
    using database = new Database(path)
    database.run(`pragma user_version = ${version}`)
    database.close()
    await expect(openStore({ engine: 'sqlite', path }, { create: false, migrate: false })).rejects.toThrow(
      `schema ${version}`,
    )
    expect(held()).toEqual([])
  }
})
