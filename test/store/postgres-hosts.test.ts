import { expect, test } from 'bun:test'
import { namePostgres, parsePostgresUrl, splitHosts } from '../../src/domain/database-address.ts'
import { SERVE_TIMEOUT } from '../../src/store/open.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { connect } from '../support/postgres/connect.ts'
import { startPostgres, startReplica } from '../support/postgres/postgres.ts'
import { until } from '../support/processes.ts'
import { saveRecords } from '../support/store/engines.ts'
import { named } from '../support/store/records.ts'
import { callHere } from '../support/terminal.ts'

test('an address with several hosts is one URL for each host', () => {
  const url = 'postgres://me:a,b%40c@one:5433,two/db?max=3&target_session_attrs=read-write'
  expect(parsePostgresUrl(url)).toBe(url)
  expect(splitHosts(url)).toEqual([
    'postgres://me:a,b%40c@one:5433/db?max=3',
    'postgres://me:a,b%40c@two/db?max=3',
  ])
  expect(namePostgres(url)).toBe('postgres://one:5433,two/db')
  expect(parsePostgresUrl('postgres://me:secret@one:x,two/db')).toBeUndefined()
})

test('the first host that accepts writes is used, also after a failover', async () => {
  await using primary = await startPostgres()
  await (await openPostgres(primary)).close()
  await using standby = await startReplica(primary)
  // The standby is first: it responds, but accepts no writes.
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
  const url = `${primary.url.replace(`127.0.0.1:${primary.port}`, hosts)}?target_session_attrs=read-write`
  const node = await openPostgres({ url }, SERVE_TIMEOUT)
  await saveRecords(node, [named(1, 'Ada')])
  await using sql = connect(standby.url)
  await until(async () => (await sql`select from passports`).length === 1)
  expect((await callHere(['doctor'], { env: { DATABASE_URL: url } })).code).toBe(0)

  await primary.stop()
  await sql`select pg_promote()`
  await until(async () => {
    const saved = await saveRecords(node, [named(2, 'Bob')]).catch(() => [])
    return saved.length === 1
  })
  expect(await sql`select from passports`).toHaveLength(2)
  await node.close()
})
