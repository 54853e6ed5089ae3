import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGreeting, resultOf } from '../../support/cli.ts'
import { tempFolder, writeHostileFiles } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

const ROOT = join(import.meta.dir, '../../..')

describe('the executable without the sources', () => {
  const folder = tempFolder()
  const program = join(folder.path, 'passportd')

  beforeAll(async () => {
    const build = Bun.spawn([process.execPath, 'deploy/executable.ts'], { cwd: ROOT, stdout: 'pipe' })
    expect(await new Response(build.stdout).text()).toBe('dist/passportd\n')
    copyFileSync(join(ROOT, 'dist/passportd'), program)
  })

  afterAll(() => folder[Symbol.dispose]())

  const start = (args: string[], cwd: string, env: Record<string, string> = {}) =>
    Bun.spawn([program, ...args], { cwd, env, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' })

  const run = (args: string[], cwd: string, env?: Record<string, string>) => resultOf(start(args, cwd, env))

  function emptyFolder(name: string): string {
    const path = join(folder.path, name)
    mkdirSync(path)
    return path
  }

  test('the executable serves the demo, backs it up, imports, scores, verifies and runs doctor, but runs no code from its working directory', async () => {
    const cwd = emptyFolder('hostile')
    const before = writeHostileFiles(cwd)
    writeFileSync(
      join(cwd, 'new.jsonl'),
      '{"passport_id":2000}\n{"passport":2000,"type":"github","value":9999}\n',
    )
    const child = start(['serve', '--demo'], cwd, { PORT: '0', BACKUP_DIR: join(cwd, 'backups') })
    try {
      const greeting = await readGreeting(child.stdout)
      expect(greeting).toContain('serves 1,000 passports')
      expect(greeting).toContain(`Make a key:  ${program} keys create --demo --name me`)
      const url = /http:[\d./:]+\d/.exec(greeting)?.[0] as string
      for (const path of [
        '/api/v3/passports/1',
        '/',
        '/reference',
        '/assets/style.css',
        '/assets/reference.js',
        '/card/1.png',
        '/favicon.ico',
        '/openapi.json',
        '/ready',
        '/verify',
        '/api/v3/passports?q=ada',
      ])
        expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
      expect(await run(['import', '--demo', 'new.jsonl'], cwd)).toMatchObject({ code: 0 })
      // The scorer and the scheduled backups are threads with their own entry points.
      await until(async () => (await (await fetch(`${url}/api/v3/passports/2000`)).json()).score > 0)
      await until(() => readdirSync(join(cwd, 'backups')).some((name) => name.endsWith('.db')))
      const accept = { Accept: 'application/vc+jwt' }
      const jwt = await (await fetch(`${url}/api/v3/passports/7`, { headers: accept })).text()
      writeFileSync(join(cwd, 'score.jwt'), jwt)
      expect((await run(['verify', 'score.jwt'], cwd)).out).toEndWith('The snapshot is valid.\n')
      writeFileSync(join(cwd, 'score.jwt'), jwt.replace('.', '.e30'))
      expect(await run(['verify', 'score.jwt'], cwd)).toMatchObject({
        code: 1,
        err: expect.stringContaining('(wrong_signature)'),
      })
      // The page has the same code: the executable contains it as a module and as a text.
      const page = await (await fetch(`${url}/verify`)).text()
      const script = /\/assets\/verify[\w.]+/.exec(page)?.[0]
      expect(await (await fetch(url + script)).text()).toContain('wrong_signature')
      const doctor = await run(['doctor', '--demo', '--json'], cwd)
      expect(doctor.code).toBe(0)
      const checks = JSON.parse(doctor.out).findings as { level: string; text: string }[]
      // The hostile .env has variables that are not settings.
      expect(checks.filter(({ level, text }) => level !== 'ok' && !text.includes('.env'))).toEqual([])
      const checkHealth = () => run(['doctor', '--health'], cwd, { PORT: new URL(url).port })
      expect((await checkHealth()).code).toBe(0)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect((await checkHealth()).code).toBe(1)
    } finally {
      child.kill('SIGKILL')
    }
    const created = ['backups', 'data', 'new.jsonl', 'score.jwt']
    expect(readdirSync(cwd).toSorted()).toEqual([...before, ...created].toSorted())
  })

  test('the executable reads .env literally, and names itself in its help', async () => {
    const cwd = emptyFolder('settings')
    writeFileSync(join(cwd, '.env'), 'DATABASE_URL=sqlite:pa$HOME.db\n')
    writeFileSync(join(cwd, '.env.local'), 'DATABASE_URL=sqlite:local.db\n')
    expect(await run(['import', '/dev/null'], cwd, { HOME: '/x' })).toMatchObject({ code: 0 })
    expect(readdirSync(cwd).toSorted()).toEqual(['.env', '.env.local', 'pa$HOME.db'])
    expect((await run(['mcp', '--help'], cwd)).out).toContain(`claude mcp add passportd -- ${program} mcp\n`)
  })
})
