import { expect, test } from 'bun:test'
import { openStore } from '../../../src/store/open.ts'
import { serveProcess } from '../../support/cli.ts'
import { tcpProxy } from '../../support/http/tcp-proxy.ts'
import { startPostgres, startReplica } from '../../support/postgres/postgres.ts'
import { readLines, until } from '../../support/processes.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a node reports a replica whose replication is cut, and serves no removed passport', async () => {
  await using primary = await startPostgres()
  const writer = await openStore({ engine: 'postgres', url: primary.url })
  await saveRecords(writer, PEOPLE)
  await using proxy = await tcpProxy(primary.port)
  await using replica = await startReplica(
    primary,
    primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`),
  )
  using folder = tempFolder()
  const env = {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    REPLICA_MAX_LAG: '1',
    METRICS_PORT: '0',
  }
  await using node = await serveProcess([], { cwd: folder.path, env })
  const log = readLines(node.child.stderr)
  const metricsUrl = /Metrics +(\S+)/.exec(node.greeting)?.[1] ?? ''
  const state = async () => (await (await fetch(`${node.url}/ready`)).json()).replica
  await until(async () => (await state()) === 'ok')

  proxy.hang()
  await writer.passports.remove(7, NOON)
  await until(async () => (await state()) === 'lagging')
  expect((await fetch(`${node.url}/api/v1/passports/7`)).status).toBe(404)
  const lag = /^passportd_replica_lag_seconds\{replica="[^"]+"\} ([\d.]+)$/m
  await until(async () => Number(lag.exec(await (await fetch(metricsUrl)).text())?.[1]) > 1)
  await until(() => log.some((line) => /behind its primary: other servers are used for reads/.test(line)))
  await writer.close()
})
