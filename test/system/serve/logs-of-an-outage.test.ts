import { expect, test } from 'bun:test'
import { serveProcess } from '../../support/cli.ts'
import { readLines } from '../../support/log-lines.ts'
import { startPostgres } from '../../support/postgres/postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

async function serveOnPostgres() {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await startPostgres())
  const { path: cwd } = stack.use(tempFolder())
  const server = stack.use(await serveProcess([], { env: { DATABASE_URL: database.url }, cwd }))
  const log = readLines(server.child.stderr)
  const statusOf = async (path: string) => (await fetch(server.url + path)).status
  return {
    database,
    log,
    /** The log entries that say that the database is unavailable. */
    complaints: () => log.filter((line) => line.includes('is unavailable')),
    noticed: () => until(async () => (await statusOf('/ready')) === 503),
    recovered: () => until(async () => (await statusOf('/ready')) === 200),
    read: () => statusOf('/api/v3/passports/42'),
    async stop() {
      server.child.kill('SIGTERM')
      await server.child.exited
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('after an outage of PostgreSQL, no entry says that it is unavailable', async () => {
  await using service = await serveOnPostgres()
  await service.database.stop()
  const names = [
    'Threads cannot be started',
    'The retirement plan cannot be read, the last one stays in force',
  ]
  await until(() => names.every((name) => service.complaints().some((line) => line.includes(name))))
  for (let at = 0; at < 3; at++) expect(await service.read()).toBe(503)
  await service.database.start()
  await service.recovered()
  await until(() => names.every((name) => service.log.some((line) => line.includes(`No longer: ${name}.`))))
  expect(service.complaints().length).toBeLessThan(25)
  // A service that stops logs the suppressed repetitions, as it does every minute.
  await service.stop()
  for (const name of names) {
    const lastComplaint = service.log.findLastIndex((line) => line.includes(`"${name}: `))
    expect(lastComplaint).toBeLessThan(service.log.findIndex((line) => line.includes(`No longer: ${name}.`)))
  }
})
