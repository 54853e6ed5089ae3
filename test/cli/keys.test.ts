import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess } from '../support/cli.ts'
import { tempFolder } from '../support/temp.ts'

const KEY = /^ppd_([0-9a-f]{10})_[0-9a-f]{64}\n$/

test('create prints the key alone, once; the file holds only its hash', async () => {
  using folder = tempFolder()
  const { out, err, code } = await run(['keys', 'create', '--name', 'Åsa & co'], { cwd: folder.path })
  expect(code).toBe(0)
  expect(out).toMatch(KEY)
  expect(err).toContain('Åsa & co')
  expect(err).not.toContain(out.trim())
  const file = readFileSync(join(folder.path, 'data/passportd.db')).toString('latin1')
  expect(file).toContain(KEY.exec(out)?.[1] as string)
  expect(file).not.toContain(out.trim().slice(-64))
})

test('no two keys are alike, and many can be made at once in a database that is not there yet', async () => {
  using folder = tempFolder()
  const make = () => run(['keys', 'create', '--name', 'same'], { cwd: folder.path })
  const made = await Promise.all(Array.from({ length: 8 }, make))
  expect(made.map(({ code, err }) => (code === 0 ? '' : err))).toEqual(Array.from({ length: 8 }, () => ''))
  expect(new Set(made.map(({ out }) => out)).size).toBe(8)
})

test('list shows each key and its state, never the key', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  expect(await run(['keys', 'list'], { cwd })).toMatchObject({
    out: '',
    code: 0,
    err: expect.stringContaining('There are no keys in data/passportd.db yet'),
  })
  const made = JSON.parse(
    (await run(['keys', 'create', '--name', '李 wide', '--expires', '2099-01-31', '--json'], { cwd })).out,
  )
  expect(made).toMatchObject({
    name: '李 wide',
    state: 'active',
    expires_at: '2099-01-31T00:00:00.000Z',
    revoked_at: null,
  })
  const second = JSON.parse((await run(['keys', 'create', '--name', 'b', '--json'], { cwd })).out)
  expect((await run(['keys', 'revoke', made.id], { cwd })).err).toBe(`Key ${made.id} is revoked.\n`)
  const { out } = await run(['keys', 'list'], { cwd })
  expect(out).toMatch(/^ID +NAME +STATE +CREATED +EXPIRES\n/)
  expect(out).toMatch(new RegExp(`${made.id} +李 wide +revoked +\\d{4}-\\d\\d-\\d\\d +2099-01-31\n`))
  expect(out).toMatch(new RegExp(`${second.id} +b +active +\\d{4}-\\d\\d-\\d\\d +never\n`))
  expect(out).not.toContain('ppd_')
  const json = JSON.parse((await run(['keys', 'list', '--json'], { cwd })).out)
  expect(json.map(({ id }: { id: string }) => id).sort()).toEqual([made.id, second.id].sort())
  expect(JSON.stringify(json)).not.toContain('hash')
})

test('revoke wants an id that exists; the whole key will do as well', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const { out: key } = await run(['keys', 'create', '--name', 'a'], { cwd })
  expect(await run(['keys', 'revoke', 'nope'], { cwd })).toEqual({
    out: '',
    err: 'passportd: There is no key "nope" in data/passportd.db: "keys list" shows the ids.\n',
    code: 1,
  })
  expect((await run(['keys', 'revoke', key.trim()], { cwd })).code).toBe(0)
})

test('a key works in a running server as soon as it is made, and no longer once it is revoked', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await using server = await serveProcess(['--demo'], { cwd, env: { REQUIRE_API_KEY: 'true' } })
  const { out } = await run(['keys', 'create', '--demo', '--name', 'me'], { cwd })
  const ask = async (key: string) =>
    (await fetch(`${server.url}/api/v1/passports/42`, { headers: { 'X-API-KEY': key } })).status
  expect(await ask(out.trim())).toBe(200)
  expect(await ask('')).toBe(401)
  await run(['keys', 'revoke', '--demo', KEY.exec(out)?.[1] as string], { cwd })
  expect(await ask(out.trim())).toBe(401)
})

test('a key that could not be printed is not left working', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const main = join(import.meta.dir, '../../src/cli/main.ts')
  const child = Bun.spawn(
    ['sh', '-c', `exec "$0" "$1" keys create --name a > /dev/full`, process.execPath, main],
    {
      cwd,
      env: {},
      stderr: 'pipe',
    },
  )
  expect(await child.exited).toBe(1)
  expect(await new Response(child.stderr).text()).toStartWith(
    'passportd: The key could not be printed, and was revoked: ',
  )
  const [key] = JSON.parse((await run(['keys', 'list', '--json'], { cwd })).out)
  expect(key.state).toBe('revoked')
})
