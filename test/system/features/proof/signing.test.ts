import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SigningKeys } from '../../../../src/core/config/signing-keys.ts'
import { serveProcess } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { AS_SNAPSHOT, parseSigningKeys } from '../../../support/proof/snapshots.ts'
import { withEveryEngine } from '../../../support/store/engines.ts'
import { record } from '../../../support/store/records.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const NOVEMBER = Date.UTC(2026, 10, 17)

const readKeys = (path: string) => parseSigningKeys(readFileSync(path, 'utf8')) as SigningKeys

test('signing rotate creates a file that only its owner can read, and later replaces its active key', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'keys.json')
  const rotate = () => callHere(['signing', 'rotate', path], { now: NOVEMBER })
  expect(await rotate()).toEqual({
    code: 0,
    out: `${path} has the new active key 2026-11.\n`,
    err: `Set SIGNING_KEYS_FILE=${path} and restart all nodes: they read it at the start.\n`,
  })
  const first = readKeys(path)
  expect((await rotate()).out).toBe(`${path} has the new active key 2026-11-2 and 1 earlier public key.\n`)
  const second = readKeys(path)
  expect(second.listed.slice(1)).toEqual([...first.listed])
  expect(readFileSync(path, 'utf8')).not.toContain(first.active.d)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder.path)).toEqual(['keys.json'])
})

test('a file without signing keys is refused and stays unchanged, and no message contains its text', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'keys.json')
  const text = '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"AA","d":"se-cret"}]}'
  writeFileSync(path, text)
  expect(await callHere(['signing', 'rotate', path])).toEqual({
    code: 1,
    out: '',
    err: `passportd: ${path} is not a JWK Set with an Ed25519 key: name another file.\n`,
  })
  expect(readFileSync(path, 'utf8')).toBe(text)
  const missing = await callHere(['signing', 'rotate', join(folder.path, 'none/keys.json')])
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('none/keys.json') })
  const { code, err } = await callHere(['serve'], { env: { SIGNING_KEYS_FILE: path } })
  expect([code, err.includes('SIGNING_KEYS must be'), err.includes('se-cret')]).toEqual([2, true, false])
})

test('serve --demo signs with keys beside its database, which it creates once', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const path = join(cwd, 'data/demo-signing-keys.json')
  const kids = async () => {
    await using server = await serveProcess(['--demo'], { cwd })
    const response = await fetch(`${server.url}/api/v3/passports/200`, AS_SNAPSHOT)
    expect(response.headers.get('Content-Type')).toBe('application/vc+jwt')
    const { keys } = await (await fetch(`${server.url}/.well-known/jwks.json`)).json()
    return keys.map(({ x }: { x: string }) => x)
  }
  const first = await kids()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await kids()).toEqual(first)
  expect(first).toEqual([readKeys(path).active.x])
})

withEveryEngine('the private key', (makeDatabase) => {
  test('is in no export, copy, backup, log, metric, response or message', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1), record(2)] })
    const file = here.path('keys.json')
    await here.call('signing', 'rotate', file)
    const secret = readKeys(file).active.d
    const env = { SIGNING_KEYS_FILE: file, PUBLIC_URL: 'https://passports.example', METRICS_PORT: '0' }
    await using server = await here.serve([], { ...env, LOG_REQUESTS: 'true' })
    const seen: string[] = [server.greeting]
    const paths = ['/.well-known/jwks.json', '/.well-known/did.json', '/openapi.json', '/about', '/ready']
    for (const path of [...paths, '/api/v3/passports/1', '/api/v3/passports/9', '/api/v3/events', '/%zz'])
      for (const headers of [{}, AS_SNAPSHOT.headers])
        seen.push(await (await fetch(server.url + path, { headers })).text())
    seen.push(await (await fetch(server.metricsUrl)).text())
    const commands = [
      ['doctor'],
      ['doctor', '--json'],
      ['export', here.path('export.jsonl')],
      ['rules', 'list'],
      ['audit'],
      ['signing', 'rotate', join(file, 'none')],
      ['backup', here.path('backup.db')],
      ['copy', here.env.DATABASE_URL, `sqlite:${here.path('copy.db')}`],
    ]
    for (const args of commands) {
      const { out, err } = await callHere(args, { env: { ...here.env, ...env } })
      seen.push(out, err)
    }
    server.child.kill('SIGTERM')
    const log = await new Response(server.child.stderr).text()
    expect(log).toContain('v3_passport')
    seen.push(log)
    expect(readdirSync(here.cwd)).toEqual(expect.arrayContaining(['copy.db', 'export.jsonl']))
    for (const name of readdirSync(here.cwd))
      if (name !== 'keys.json') seen.push(readFileSync(here.path(name), 'latin1'))
    expect(seen.filter((text) => text.includes(secret))).toEqual([])
    expect(readFileSync(file, 'utf8')).toContain(secret)
  })
})
