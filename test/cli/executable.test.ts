import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGreeting, resultOf } from '../support/cli.ts'
import { until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../..')

describe('the executable, alone', () => {
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

  /** The health check of the container. */
  const checkHealth = (url: string, cwd: string) =>
    run(['-e', `process.exit((await fetch('${url}/health')).ok ? 0 : 1)`], cwd, { BUN_BE_BUN: '1' })

  function emptyFolder(name: string): string {
    const path = join(folder.path, name)
    mkdirSync(path)
    return path
  }

  test('the executable imports, serves API, explorer and reference, scores, and runs doctor and its health check', async () => {
    const cwd = emptyFolder('own')
    writeFileSync(join(cwd, 'people.jsonl'), '{"passport_id":1,"passport_profile":{"display_name":"Ada"}}\n')
    writeFileSync(join(cwd, 'point.jsonl'), '{"passport":1,"type":"github","value":9999}\n')
    expect(await run(['import', 'people.jsonl'], cwd)).toMatchObject({ code: 0 })
    const child = start(['serve'], cwd, { PORT: '0' })
    try {
      const greeting = await readGreeting(child.stdout)
      expect(greeting).toContain(`Make a key:  ${program} keys create --name me`)
      const url = /http:[\d./:]+\d/.exec(greeting)?.[0] as string
      for (const path of [
        '/api/v1/passports/1',
        '/',
        '/reference',
        '/assets/style.css',
        '/assets/reference.js',
        '/card/1.png',
        '/favicon.ico',
        '/openapi.json',
        '/ready',
        '/api/v1/passports?keyword=ada',
      ])
        expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
      expect(await run(['import', 'point.jsonl'], cwd)).toMatchObject({ code: 0 })
      // The scorer is a thread with its own entry point.
      await until(async () => (await (await fetch(`${url}/api/v1/passports/1`)).json()).passport.score > 0)
      const doctor = await run(['doctor', '--json'], cwd)
      expect({ code: doctor.code, status: JSON.parse(doctor.out).status }).toEqual({ code: 0, status: 'ok' })
      expect((await checkHealth(url, cwd)).code).toBe(0)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect((await checkHealth(url, cwd)).code).not.toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
    expect(readdirSync(cwd).toSorted()).toEqual(['data', 'people.jsonl', 'point.jsonl'])
  })

  test('the executable serves the demo, and runs no code of its working directory', async () => {
    const cwd = emptyFolder('hostile')
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
    writeFileSync(join(cwd, 'evil.ts'), 'process.exit(7)\n')
    const child = start(['serve', '--demo'], cwd, { PORT: '0' })
    expect(await readGreeting(child.stdout)).toContain('serves 1,000 passports')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
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
