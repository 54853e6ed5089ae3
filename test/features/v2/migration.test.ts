import { expect, test } from 'bun:test'
import { serveTest } from '../../support/http/server.ts'
import { FIXTURES } from '../../support/migrations/fixtures.ts'
import { addressOf, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore } from '../../support/store/open.ts'

withEveryEngine('a database of version 0.2.1', (makeDatabase, engine) => {
  test('after a migration from version 0.2.1, V2 shows the image of a social', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    await using server = serveTest(store)
    const { passport } = (await server.get('/api/v2/passports/7')).body
    expect(passport.passport_profile.image_url).toStartWith('https://example.com/lens/')
  })
})
