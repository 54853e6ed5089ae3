import { expect, test } from 'bun:test'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/config/database-address.ts'
import { openStore } from '../../src/store/open.ts'
import { listAll } from '../support/store/catalog.ts'
import { withEveryEngine } from '../support/store/engines.ts'

withEveryEngine('a database with an outdated schema', (makeDatabase) => {
  test('is refused by a process that may not migrate it until another process has migrated it', async () => {
    await using database = await makeDatabase({ bare: true })
    const address = parseDatabaseAddress(database.url) as DatabaseAddress
    const open = () => openStore(address, { create: false, migrate: false })
    const refusal = /There is no database \S+ yet|has no tables yet: "serve"/
    await expect(open()).rejects.toThrow(refusal)
    await expect(open()).rejects.toThrow(refusal)
    await (await openStore(address)).close()
    const store = await open()
    expect(await listAll(store, { page: 1, size: 1, keyword: undefined })).toMatchObject({ total: 0 })
    await store.close()
  })
})
