import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../../support/cli.ts'
import { change, connect, refusalOf, withOptions } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres, testDatabase } from '../../../../support/postgres/postgres.ts'
import { CERTIFICATE, tlsSettings } from '../../../../support/postgres/postgres-tls.ts'
import { openPostgres } from '../../../../support/store/open.ts'
import { tempFolder } from '../../../../support/temp-folder.ts'
import { until } from '../../../../support/wait-until.ts'

describe('postgres: encrypted connections', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ settings: tlsSettings() })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function encryptionOf(url: string): Promise<unknown[]> {
    const store = await openPostgres({ url })
    await store.database.ping()
    await using sql = connect(url)
    const list = async () => [
      ...(await sql`select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where application_name = 'passportd'`),
    ]
    const rows = await list()
    await store.database.close()
    // The server ends a session a moment after its connection is closed.
    await until(async () => (await list()).length === 0)
    return rows
  }

  test('sslmode=require encrypts every connection, with any certificate', async () => {
    expect(await encryptionOf(withOptions(server.url, 'sslmode=disable'))).toEqual([{ ssl: false }])
    expect(await encryptionOf(withOptions(server.url, 'sslmode=require'))).toEqual([{ ssl: true }])
  })

  test('sslmode=verify-full requires a trusted certificate for the host name', async () => {
    expect(await refusalOf(withOptions(server.url, 'sslmode=verify-full'))).toContain(
      'cannot be reached securely: self signed certificate. See sslmode and sslrootcert',
    )
    const trusting = withOptions(server.url, `sslmode=verify-full&sslrootcert=${CERTIFICATE}`)
    expect(await encryptionOf(trusting)).toEqual([{ ssl: true }])
    const otherName = change(trusting, (url) => {
      url.hostname = 'localhost'
    })
    expect(await refusalOf(otherName)).toContain(
      "cannot be reached securely: Hostname/IP does not match certificate's altnames",
    )
  })

  test('.env cannot make sslmode=verify-full accept another certificate', async () => {
    using folder = tempFolder()
    const url = withOptions(server.url, 'sslmode=verify-full')
    writeFileSync(join(folder.path, '.env'), `DATABASE_URL=${url}\nNODE_TLS_REJECT_UNAUTHORIZED=0\n`)
    const { code, err } = await run(['keys', 'list'], { cwd: folder.path })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('self signed certificate') })
  })

  test.each(['require', 'verify-full'])('sslmode=%s refuses a server without TLS', async (mode) => {
    await using database = await testDatabase()
    expect(await refusalOf(withOptions(database.url, `sslmode=${mode}`))).toContain(
      'cannot be reached securely: Server does not support SSL',
    )
  })
})
