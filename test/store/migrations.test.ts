import { expect, test } from 'bun:test'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/domain/database-address.ts'
import type { Social } from '../../src/domain/passport.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { saveRecords, withEveryEngine } from '../support/store/engines.ts'
import { execute, revertSchema } from '../support/store/execute-sql.ts'
import { ada, PEOPLE, record } from '../support/store/records.ts'

withEveryEngine('a database of the previous version', (makeDatabase) => {
  test('keeps all records and V1 responses, and V2 shows the images of its socials', async () => {
    await using database = await makeDatabase()
    const address = parseDatabaseAddress(database.url) as DatabaseAddress
    // More than one batch of the migration, and a merged passport with an image.
    const social = (imageUrl: string) => ({ ...(ada.socials[0] as Social), imageUrl })
    const many = Array.from({ length: 1100 }, (_, at) =>
      record(1000 + at, { socials: [social('avatar'), social(`https://example.com/${at}.png`)] }),
    )
    const merged = record(901, { mergedInto: 3, socials: ada.socials })
    const open = () => openStore(address)
    const everything = async (store: Store) => ({
      records: await store.records.list(-1, 2000),
      v1: await store.v1.listItems(many.map(({ id }) => id)),
      v2: await store.v2.listItems(many.map(({ id }) => id)),
      ada: [await store.v1.findPassport({ id: 7 }), await store.v2.findPassport({ id: 7 })],
      merged: await store.v2.findPassport({ id: 901 }),
    })
    const old = await open()
    await saveRecords(old, [...PEOPLE, merged, ...many])
    const before = await everything(old)
    await old.close()
    await revertSchema(database.url)

    const store = await open()
    expect(await everything(store)).toEqual(before)
    expect(before.v2[1099]).toContain('"image_url":"https://example.com/1099.png"')
    await store.passports.unmerge(901)
    expect((await store.v2.findPassport({ id: 901 }))?.body).toContain(
      '"image_url":"https://example.com/lens/ada.png"',
    )
    await store.close()
  }, 30_000)

  test('is migrated by this version only from 0.2.0 on', async () => {
    await using database = await makeDatabase()
    const open = () => openStore(parseDatabaseAddress(database.url) as DatabaseAddress)
    await (await open()).close()
    const isSqlite = database.url.startsWith('sqlite:')
    await execute(database.url, isSqlite ? 'pragma user_version = 8' : 'update passportd set version = 3')
    await expect(open()).rejects.toThrow(
      `has schema ${isSqlite ? 8 : 3}, of a version before 0.2.0: migrate it with passportd 0.2.0 first.`,
    )
  })
})
