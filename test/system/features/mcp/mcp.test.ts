import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { COMMAND, run } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { ISSUER_RULES } from '../../../support/http/servers.ts'
import { tcpProxy } from '../../../support/http/tcp-proxy.ts'
import { callOf, HELLO, stdioAgent } from '../../../support/mcp-agent.ts'
import { databaseMaker } from '../../../support/store/engines.ts'
import { PEOPLE } from '../../../support/store/records.ts'
import { applyRules } from '../../../support/store/scoring.ts'
import { until } from '../../../support/wait-until.ts'

const sqlite = databaseMaker('sqlite')

describe.concurrent('mcp on standard input and output', () => {
  test('MCP works with a read-only PostgreSQL server, reports its outage, and works again after the outage', async () => {
    await using here = await workplace(databaseMaker('postgres'), { records: PEOPLE })
    const url = new URL(here.env.DATABASE_URL)
    const sql = new SQL(url.href)
    await sql.unsafe(`alter database "${url.pathname.slice(1)}" set default_transaction_read_only to on`)
    await sql.close()
    await using proxy = await tcpProxy(Number(url.port))
    url.port = String(proxy.port)
    await using agent = await stdioAgent({ ...here, env: { DATABASE_URL: url.href } })
    const [key, keys, from] = [7, [7], new Date().toISOString()]
    for (const [tool, args] of [
      ['search_passports', { q: 'ada', filter: 'score:>1' }],
      ['get_passport', { key, include: ['credentials', 'standing', 'explanation'] }],
      ['lookup_passports', { keys }],
      ['what_changed', { key, from }],
      ['history', { passport: key }],
    ] as const)
      expect([tool, (await agent.call(tool, args)).isError]).toEqual([tool, false])
    const ask = () => agent.call('get_passport', { key })
    proxy.refuse()
    expect(await ask()).toMatchObject({
      isError: true,
      text: 'The service cannot reach its data right now. Try again shortly.',
    })
    proxy.flow()
    await until(async () => !(await ask()).isError)
  })

  test('mcp refuses a missing or outdated database, and neither creates nor migrates it', async () => {
    await using here = await workplace(sqlite, { bare: true })
    const { code, err } = await run(['mcp'], here)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/There is no database \S+ yet/) })
    expect(existsSync(here.env.DATABASE_URL.slice('sqlite:'.length))).toBe(false)
  })

  test('the mcp process ends when its input has ended, and its only output is responses', async () => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const write = callOf('write_records', { records: [{ passport_id: 555 }] })
    const messages = [HELLO, initialized, 'text', write, callOf('search_passports', {})]
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`)
    const stdin = new TextEncoder().encode(`${lines.join('\n')}{`)
    const { out, code, err } = await run(['mcp', '--write', '*'], { ...here, stdin })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const replies = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(replies.map(({ id }) => id)).toEqual([1, null, 1, 1, null])
    expect(replies[3].result.structuredContent.total).toBe(4)
    const { events } = await here.look((store) => store.events.list({ after: 0, limit: 1000 }))
    expect(events.at(-1)).toMatchObject({ passportId: 555, actor: 'cli' })
  })

  test('SIGTERM ends the mcp process, even while its input is open', async () => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    const pipes = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const
    const child = Bun.spawn([...COMMAND, 'mcp'], { cwd: here.cwd, env: here.env, ...pipes })
    child.stdin.write(`${JSON.stringify(HELLO)}\n`)
    child.stdin.flush()
    await child.stdout.getReader().read()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('mcp --write lets an agent write the types of the issuer; without it, the tools only read', async () => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    await here.look((store) => applyRules(store, ISSUER_RULES))
    const records = [{ passport: 7, type: 'github', value: 12, account: 'ada' }]
    await using reader = await stdioAgent(here)
    expect(reader.names).not.toContain('write_records')
    expect((await reader.call('write_records', { records })).data).toMatchObject({ code: 'forbidden' })
    await using agent = await stdioAgent(here, ['--write', 'github'])
    expect((await agent.call('write_records', { records })).data).toMatchObject({ added: 1 })
    const { data } = await agent.call('write_records', { records: [{ ...records[0], type: 'ens' }] })
    expect(data?.detail).toContain('type: must be one that write:github may write: "github", got "ens".')
  })
})
