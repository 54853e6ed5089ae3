import { expect, test } from 'bun:test'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { FIXTURES } from '../../support/migrations/fixtures.ts'
import { addressOf, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore } from '../../support/store/open.ts'
import { score } from '../../support/store/store-changes.ts'
import { expectV2 } from './expect-responses.ts'

withEveryEngine('a database of version 0.2.1', (makeDatabase, engine) => {
  test('after a migration from version 0.2.1, V2 shows the image of a social', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    expect((await store.data(V2_BODIES).findPassport({ id: 7 }))?.body).toContain(
      '"image_url":"https://example.com/lens/',
    )
    await score(store)
    await expectV2(store, [{ id: 3 }, { id: 7 }, { id: 21 }])
  })
})
