import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { DATABASE_COMMANDS, serveProcess } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { type PostgresServer, startPostgres } from '../../../support/postgres/postgres.ts'
import { namePostgres } from '../../../support/store/open.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { until } from '../../../support/wait-until.ts'

/** The password as it is, and as it appears in a URL. */
const PASSWORD = 'se/cr@t %?'
const ESCAPED = encodeURIComponent(PASSWORD)
const SECRETS = [PASSWORD, ESCAPED, 'se/cr', 'cr@t', 'se%2F', 'wr0ng']

function expectNoSecret(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret)
}

describe('the password of a database', () => {
  let server: PostgresServer
  let good: URL
  beforeAll(async () => {
    server = await startPostgres()
    await using sql = new SQL(server.url, { max: 1 })
    await sql.unsafe(`create role ada login password '${PASSWORD}'`)
    await sql.unsafe('create database mine owner ada')
    good = new URL(server.url.replace(/\/\/.*@/, `//ada:${ESCAPED}@`))
    good.pathname = 'mine'
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const other = (change: Partial<URL>) => Object.assign(new URL(good), change).href

  test.each([
    ['the port is closed', () => other({ port: '1' }), 'is unavailable: '],
    [
      'the password is wrong',
      () => other({ password: 'wr0ng' }),
      'refuses the user or password of its address: ',
    ],
    ['the database is missing', () => other({ pathname: 'none' }), 'cannot be used: '],
  ])(
    'no command prints the password of the database if %s; one sentence names the server',
    async (_, address, sentence) => {
      using folder = tempFolder()
      const url = address()
      const source = `sqlite:${folder.path}/source.db`
      const copies = [
        ['copy', url, `sqlite:${folder.path}/copy.db`],
        ['copy', source, url],
      ]
      await callHere(['import', '/dev/null'], { env: { DATABASE_URL: source } })
      const env = { DATABASE_URL: url, PORT: '0' }
      const results = await Promise.all(
        [...DATABASE_COMMANDS, ['serve'], ['serve', '--demo', '--workers', '2'], ...copies].map(
          async (args) => ({ args, ...(await callHere(args, { env })) }),
        ),
      )
      for (const { args, out, err, code } of results) {
        expect({ args, out, code }).toEqual({ args, out: '', code: 1 })
        expect(err).toStartWith(`passportd: ${namePostgres(url)} ${sentence}`)
        expect(err).toMatch(/^[^\n]+\.\n$/)
        expectNoSecret(err)
      }
    },
  )

  test('if the database becomes unavailable, the server neither prints its password nor sends it in responses', async () => {
    using folder = tempFolder()
    await using node = await serveProcess([], {
      cwd: folder.path,
      env: { DATABASE_URL: good.href, DATABASE_READ_URL: other({ password: 'wr0ng' }) },
    })
    expect(node.greeting).toContain(` from ${namePostgres(good.href)}\n`)
    await server.stop()
    const answers: string[] = []
    await until(async () => {
      const response = await fetch(`${node.url}/api/v3/passports/1`)
      answers.push(await response.text(), await (await fetch(`${node.url}/ready`)).text())
      return response.status === 503
    })
    await server.start()
    await until(async () => (await fetch(`${node.url}/api/v3/passports?q=a`)).status === 200)
    node.child.kill('SIGTERM')
    expect(await node.child.exited).toBe(0)
    expectNoSecret(node.greeting + answers.join() + (await new Response(node.child.stderr).text()))
  })
})
