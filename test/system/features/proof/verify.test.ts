import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultOf, start } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { JWKS, RULES, STAMP, signNow } from '../../../support/proof/sample-snapshot.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

describe('passportd verify', () => {
  const folder = tempFolder()
  const cwd = folder.path
  const ORIGIN = 'https://passports.example.com'
  const FILES = ['--keys', 'keys.json', '--rules', 'rules.json']

  beforeAll(() => {
    writeFileSync(join(cwd, 'score.jwt'), signNow(ORIGIN))
    writeFileSync(join(cwd, 'changed.jwt'), signNow(ORIGIN, { score: 99 }))
    writeFileSync(
      join(cwd, 'record.jwt'),
      signNow(ORIGIN, { method: 'record', rules: null, rules_digest: null }),
    )
    writeFileSync(join(cwd, 'keys.json'), JSON.stringify(JWKS))
    writeFileSync(join(cwd, 'rules.json'), JSON.stringify(RULES))
    writeFileSync(join(cwd, 'other-rules.json'), JSON.stringify({ ...RULES, stamp: STAMP, caps: {} }))
    writeFileSync(join(cwd, 'text.json'), 'hello')
  })
  afterAll(() => folder[Symbol.dispose]())

  const verify = (...args: string[]) => callHere(['verify', ...args], { cwd })

  /** A service that signed `score.jwt`. */
  function serve(respond: (path: string) => Response | undefined = () => undefined) {
    const paths: string[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        const { pathname } = new URL(url)
        paths.push(pathname)
        return respond(pathname) ?? Response.json(pathname.endsWith('jwks.json') ? JWKS : RULES)
      },
    })
    writeFileSync(join(cwd, 'local.jwt'), signNow(server.url.origin))
    return { origin: server.url.origin, paths, [Symbol.dispose]: () => void server.stop(true) }
  }

  test('a valid snapshot is explained, and no database is made', async () => {
    const before = readdirSync(cwd)
    const { code, out, err } = await verify('score.jwt', ...FILES)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(' of https://passports.example.com.\n')
    expect(out).toContain('github     Skills    18      √9 × 6 = 18, at most 40\n')
    expect(out).toEndWith('\nThe snapshot is valid.\n')
    expect(readdirSync(cwd)).toEqual(before)
  })

  test('standard input is read, and a snapshot of an imported score needs no rule set', async () => {
    const stdin = await Bun.file(join(cwd, 'record.jwt')).bytes()
    const { code, out } = await resultOf(start(['verify', '-', '--keys', 'keys.json'], { cwd, stdin }))
    expect(code).toBe(0)
    expect(out).toContain('The score 60 came with a record. It cannot be calculated again.\n')
  })

  test('a snapshot that is not valid has the exit code 1 and the name of the failure', async () => {
    const changed = await verify('changed.jwt', ...FILES)
    expect(changed).toMatchObject({
      code: 1,
      err: 'passportd: The snapshot is not valid (wrong_score): score must be 60, got 99.\n',
    })
    expect(changed.out).not.toContain('The snapshot is valid')
    const { code, err } = await verify('score.jwt', '--keys', 'keys.json', '--rules', 'other-rules.json')
    expect({ code, name: /\((\w+)\)/.exec(err)?.[1] }).toEqual({ code: 1, name: 'wrong_rules' })
  })

  test.each([
    ['none.jwt', 'none.jwt cannot be read: ENOENT'],
    ['.', '. cannot be read: EISDIR'],
  ])('the file %s is refused with the reason', async (file, message) => {
    const { code, err } = await verify(file, ...FILES)
    expect({ code, err: err.slice(11, 11 + message.length) }).toEqual({ code: 1, err: message })
  })

  test('without options, the keys and the rule set come from the issuer', async () => {
    using server = serve()
    expect(await verify('local.jwt')).toMatchObject({ code: 0, err: '' })
    expect(server.paths).toEqual(['/.well-known/jwks.json', '/api/v3/rules/sample%2B1a2b3c4d'])
    const urls = ['--keys', `${server.origin}/a/jwks.json`, '--rules', `${server.origin}/b`]
    expect(await verify('score.jwt', ...urls)).toMatchObject({ code: 0, err: '' })
    expect(server.paths.slice(2)).toEqual(['/a/jwks.json', '/b'])
  })

  test('a snapshot with a wrong signature does not make the program ask for its rule set', async () => {
    using server = serve((path) => (path.endsWith('jwks.json') ? Response.json({ keys: [] }) : undefined))
    expect((await verify('local.jwt')).err).toContain('(unknown_key)')
    expect(server.paths).toEqual(['/.well-known/jwks.json'])
  })

  test('redirects, errors and endless bodies of the issuer end the command with a clear error', async () => {
    using other = serve()
    const endless = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) }))
    const answers: [() => Response, string][] = [
      [() => Response.redirect(`${other.origin}/.well-known/jwks.json`), 'the status is 302.'],
      [() => new Response('', { status: 401 }), 'the status is 401.'],
      [endless, 'it is larger than 8388608 bytes.'],
    ]
    for (const [answer, reason] of answers) {
      using server = serve(answer)
      const { code, err } = await verify('local.jwt')
      const advice = 'Save it, and name the file with --keys or --rules.'
      const url = `${server.origin}/.well-known/jwks.json`
      expect({ code, err }).toEqual({
        code: 1,
        err: `passportd: ${url} cannot be read: ${reason} ${advice}\n`,
      })
    }
    expect(other.paths).toEqual([])
  })

  test('an issuer that stops sending is given up', async () => {
    const limit = new AbortController()
    using timeout = spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const stalled = new ReadableStream({
      pull: () => new Promise(() => limit.abort(new Error('The operation timed out'))),
    })
    using _ = serve(() => new Response(stalled))
    const { code, err } = await verify('local.jwt')
    expect({ code, isTold: err.includes('cannot be read: The operation timed out.') }).toEqual({
      code: 1,
      isTold: true,
    })
    expect(timeout).toHaveBeenCalledWith(10_000)
  })
})
