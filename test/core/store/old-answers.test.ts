import { expect, test } from 'bun:test'
import { exportAll } from '../../support/cli-sandbox.ts'
import { CALLS } from '../../support/http/calls-of-all-routes.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { OLD_SCHEMAS, readOldDatabase } from '../../support/migrations/old-databases.ts'
import { addressOf, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore } from '../../support/store/open.ts'

/** The sentence about an ambiguous handle is another one, and names in the texts of credentials were no handles. */
const CHANGED = ['/api/v3/passports/github:ada', '/api/v3/passports/ens:lovelace.eth']

const versionOf = (path: string) => path.split('/')[2]
/** The answers of a version that was deleted are not compared. */
const VERSIONS = new Set(CALLS.map(({ path }) => versionOf(path)))

withEveryEngine('a database of an earlier version', (makeDatabase, engine) => {
  test.each(OLD_SCHEMAS[engine])(
    'the responses and the export of a database with schema %d are the same after its migration',
    async (schema) => {
      const { sql, now, answers, exported } = readOldDatabase(engine, schema)
      await using database = await makeDatabase({ bare: true })
      await execute(database.url, sql)
      await using store = await openStore(addressOf(database))
      await using server = serveTest(store, { now: () => now })
      const { key } = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(1), 'ppd')
      const isOldest = schema === OLD_SCHEMAS[engine][0]
      const clean = (text: string) => {
        const body = text.replaceAll(server.url.origin, '').replace(/"request_id":"[^"]+"/, '')
        return isOldest ? body.replaceAll(OTHER_IN_021, '') : body
      }
      for (const [path, answer] of Object.entries(answers)) {
        if (CHANGED.includes(path) || !VERSIONS.has(versionOf(path))) continue
        const { status, text } = await server.get(path, { headers: { 'X-API-KEY': key } })
        expect(`${path} ${clean(`${status} ${text}`)}`).toBe(`${path} ${clean(answer)}`)
      }
      expect((await exportAll(store)).replaceAll(SCORES_IN_RECORD, '')).toBe(exported)
    },
  )
})

/** Version 0.2.1 had no digests of rule sets, and its events had the texts of old values, which a migration deletes. */
const OTHER_IN_021 = /,"rules_digest":(null|"\w+")|"value":(null|"[^"]*")/g

/** Earlier versions did not keep the scores of the record. */
const SCORES_IN_RECORD = /,"scores_in_record":\{[^}]+\}/g
