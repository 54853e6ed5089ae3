import { expect, test } from 'bun:test'
import { run } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { serveTest } from '../../support/http/server.ts'
import { readProblems } from '../../support/log-lines.ts'
import { onEveryEngine, withEngine } from '../../support/store/engines.ts'
import { IDENTITY } from '../../support/store/open.ts'
import { named } from '../../support/store/records.ts'

withEngine('sqlite', 'a port that another process listens on', (makeDatabase) => {
  test.skipIf(process.platform !== 'linux')(
    'serve shares a port with a process on the same database, but not with a process on another database',
    async () => {
      await using here = await workplace(makeDatabase, { records: [named(1, 'Ada')] })
      await using other = await workplace(makeDatabase, { records: [named(2, 'Bob')] })
      await using first = await here.serve([], { METRICS_PORT: '0' })
      const { port } = new URL(first.url)
      const { cwd, env } = other
      expect(await run(['serve'], { cwd, env: { ...env, PORT: port } })).toEqual({
        out: '',
        err: `passportd: Another passportd serves another database on port ${port}. Stop it, or set PORT to another port.\n`,
        code: 1,
      })
      const METRICS_PORT = new URL(first.metricsUrl).port
      await using second = await here.serve([], { PORT: port, METRICS_PORT })
      first.child.kill('SIGTERM')
      expect(await first.child.exited).toBe(0)
      expect((await fetch(`${second.url}/api/v3/passports/1`)).status).toBe(200)
      expect((await fetch(second.metricsUrl)).status).toBe(200)
      second.child.kill('SIGTERM')
      expect(await readProblems(second.child.stderr)).toContain('Another process listens on this port')
    },
  )
})

onEveryEngine('/health', (open) => {
  test('/health checks the database id in a request without revealing the real one', async () => {
    await using store = await open()
    await using server = serveTest(store)
    const ask = async (id: string) => {
      const response = await fetch(`${server.url.origin}/health`, { headers: { 'X-Database-Id': id } })
      return {
        status: response.status,
        text: `${JSON.stringify([...response.headers])} ${await response.text()}`,
      }
    }
    expect((await ask('x')).status).toBe(200)
    expect(await store.data(IDENTITY).create('first')).toBe('first')
    expect(await store.data(IDENTITY).create('second')).toBe('first')
    expect(await store.data(IDENTITY).find()).toBe('first')
    expect((await ask('first')).status).toBe(200)
    const refused = await ask('second')
    expect(refused.status).toBe(412)
    expect(refused.text).not.toContain('first')
    expect((await fetch(`${server.url.origin}/health`)).status).toBe(200)
  })
})
