import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { COMMAND, run } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { tcpProxy } from '../../../support/http/tcp-proxy.ts'
import { callEveryTool, HELLO, stdioAgent } from '../../../support/mcp-agent.ts'
import { databaseMaker, saveRecords } from '../../../support/store/engines.ts'
import { ada, PEOPLE } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const sqlite = databaseMaker('sqlite')

describe.concurrent('on standard input and output', () => {
  test('MCP works with a read-only PostgreSQL server, reports its outage, and works again after the outage', async () => {
    await using here = await workplace(databaseMaker('postgres'), { records: PEOPLE })
    const url = new URL(here.env.DATABASE_URL)
    const sql = new SQL(url.href)
    await sql.unsafe(`alter database "${url.pathname.slice(1)}" set default_transaction_read_only to on`)
    await sql.close()
    await using proxy = await tcpProxy(Number(url.port))
    url.port = String(proxy.port)
    await using agent = await stdioAgent({ ...here, env: { DATABASE_URL: url.href } })
    expect(await callEveryTool(agent)).toEqual(Array(8).fill(false))
    expect((await agent.call('search_passports', { keyword: 'ada' })).data).toMatchObject({ total: 1 })
    const ask = () => agent.call('get_passport', { passport: '7' })
    proxy.refuse()
    const away = await ask()
    expect(away.isError).toBe(true)
    expect(away.text).toMatch(/^postgres:\S+ (is unavailable: |does not respond)/)
    proxy.flow()
    await until(async () => !(await ask()).isError)
  })

  test('MCP reports a missing or outdated database, and neither creates nor migrates it', async () => {
    await using here = await workplace(sqlite, { bare: true })
    await using agent = await stdioAgent(here)
    const file = here.env.DATABASE_URL.slice('sqlite:'.length)
    const missing = await agent.call('search_passports')
    expect(missing).toMatchObject({
      isError: true,
      text: expect.stringMatching(/There is no database \S+ yet/),
    })
    expect(existsSync(file)).toBe(false)

    await here.look((store) => saveRecords(store, [ada]))
    const versionOf = (database: Database) => database.query('pragma user_version').values()[0]?.[0]
    using database = new Database(file)
    const newest = versionOf(database)
    database.run('pragma user_version = 14')
    expect(await agent.call('get_passport', { passport: '7' })).toMatchObject({
      isError: true,
      text: `${file} has schema 14, but this version needs ${newest}: make a backup, then run "passportd migrate".`,
    })
    expect(versionOf(database)).toBe(14)

    // The database is used as soon as it has the current schema.
    database.run(`pragma user_version = ${newest}`)
    expect((await agent.call('search_passports')).data).toMatchObject({ total: 1 })
  })

  test('the mcp process ends when its input has ended, and its only output is responses', async () => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'search_passports' } }
    const stdin = new TextEncoder().encode([HELLO, call].map((each) => `${JSON.stringify(each)}\n`).join(''))
    const { out, code, err } = await run(['mcp'], { cwd: here.cwd, env: here.env, stdin })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect(answers[1].result.structuredContent.total).toBe(3)
  })

  test('SIGTERM ends the mcp process, even while its input is open', async () => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    const child = Bun.spawn([...COMMAND, 'mcp'], {
      cwd: here.cwd,
      env: here.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    child.stdin.write(`${JSON.stringify(HELLO)}\n`)
    child.stdin.flush()
    await child.stdout.getReader().read()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })
})

test('only the mcp command loads the MCP library', () => {
  const src = join(import.meta.dir, '../../../../src')
  const wrong = [...new Bun.Glob('**/*.ts').scanSync(src)]
    .filter((file) => !file.startsWith('features/mcp/'))
    .filter((file) =>
      /from '(@modelcontextprotocol|.*\/mcp\/(?!index\.ts'))/.test(readFileSync(join(src, file), 'utf8')),
    )
  expect(wrong).toEqual([])
})
