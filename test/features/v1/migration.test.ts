import { expect, test } from 'bun:test'
import { V1_BODIES } from '../../../src/features/v1/statements.ts'
import { serveTest } from '../../support/http/server.ts'
import { FIXTURES } from '../../support/migrations/fixtures.ts'
import { addressOf, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore } from '../../support/store/open.ts'

/** The ETags that version 0.2.1 sent for the passports in the fixtures. */
const ETAGS = { 3: '"1rqgdh7d8wwtv"', 7: '"3qzqfvi4cslrb"', 21: '"3pe06zuwseud7"' }

withEveryEngine('a database of version 0.2.1', (makeDatabase, engine) => {
  test('a migration from version 0.2.1 keeps the V1 responses', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    const { findPassport } = store.data(V1_BODIES)
    await using server = serveTest(store)
    for (const [id, etag] of Object.entries(ETAGS))
      expect((await server.get(`/api/v1/passports/${id}`)).headers.get('ETag')).toBe(etag)
    expect((await findPassport({ id: 7 }))?.body).toContain('Ada  Lovélace 🐉')
    expect(await findPassport({ id: 12 })).toMatchObject({ id: 3, merged: 1 })
  })
})
