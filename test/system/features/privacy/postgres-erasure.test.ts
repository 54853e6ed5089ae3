import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { callHere } from '../../../support/cli-in-process.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { startPostgres } from '../../../support/postgres/postgres.ts'
import { MARKS, marksInFiles, PERSON } from '../../../support/removed-person.ts'
import { saveRecords } from '../../../support/store/engines.ts'
import { openStore } from '../../../support/store/open.ts'
import { credential, record, social } from '../../../support/store/records.ts'
import { contracts } from '../../../support/store/scoring.ts'
import { until } from '../../../support/wait-until.ts'

const other = (id: number) =>
  record(id, {
    mainWallet: `0x${id}`,
    profile: { displayName: `Other ${id}` },
    socials: [social('github', `other${id}`)],
    credentials: [credential(`c-${id}`)],
    dataPoints: [contracts(id)],
  })

test('doctor --erasure names what PostgreSQL keeps of a removed person, and the files have no byte after its advice', async () => {
  await using server = await startPostgres({ settings: { autovacuum: 'off' } })
  const { url } = server
  await using store = await openStore({ engine: 'postgres', url })
  await using sql = connect(url)
  const call = async () => (await callHere(['doctor', '--erasure'], { env: { DATABASE_URL: url } })).out
  await saveRecords(store, [PERSON, ...Array.from({ length: 50 }, (_, at) => other(100 + at))])
  await sql`analyze`
  await sql`select pg_create_physical_replication_slot('standby', true)`
  expect(await call()).toContain('No copies of removed data were found')
  await store.passports.remove(7, Date.now())
  await until(
    async () => (await call()).includes('passports has dead rows (1)'),
    'the statistics of the removal',
  )
  const report = await call()
  expect(report).toContain(
    'wallets has dead rows (2): run "vacuum full wallets", which blocks reads and writes of the table.',
  )
  expect(report).toMatch(
    /The statistics \(pg_stats\) of .*passports.* are older than the last removal: run "analyze"/,
  )
  expect(report).toContain('The replication slot standby keeps')
  await sql`checkpoint`
  expect(marksInFiles(join(server.data, 'base')).length).toBeGreaterThan(MARKS.length)
  // A plain vacuum leaves the bytes in free space of the pages.
  await sql`vacuum full`
  await sql`analyze`
  await sql`vacuum full pg_statistic`
  await sql`select pg_drop_replication_slot('standby')`
  await sql`checkpoint`
  expect(marksInFiles(join(server.data, 'base'))).toEqual([])
  await until(
    async () => (await call()).includes('No copies of removed data were found'),
    'the end of the report',
  )
})
