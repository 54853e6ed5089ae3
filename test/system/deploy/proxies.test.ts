import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, hasPrograms } from '../../support/programs.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const CERTIFICATE = join(ROOT, 'test/support/postgres/postgres-tls')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

for (const [program, file, check] of [
  ['nginx', 'nginx.conf', ['-t', '-e', 'stderr', '-g', 'pid pid;', '-c']],
  ['haproxy', 'haproxy.cfg', ['-c', '-f']],
  ['caddy', 'Caddyfile', ['validate', '--adapter', 'caddyfile', '--config']],
] as const)
  test.if(hasPrograms(program))(`${program} accepts deploy/proxy/${file}`, () => {
    using folder = tempFolder()
    const inFolder = (name: string) => join(folder.path, name)
    const pem = ['crt', 'key'].map((end) => readFileSync(`${CERTIFICATE}.${end}`, 'utf8'))
    for (const [at, end] of ['crt', 'key'].entries()) writeFileSync(inFolder(`tls.${end}`), pem[at] as string)
    writeFileSync(inFolder('tls.pem'), pem.join(''))
    writeFileSync(inFolder(file), read(join('deploy/proxy', file)).replaceAll('/etc/passportd', folder.path))
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path }
    const args = [...check.map((arg) => arg.replace('pid pid', `pid ${folder.path}/pid`)), inFolder(file)]
    const { exitCode, stderr } = Bun.spawnSync([findProgram(program) as string, ...args], { env })
    expect([exitCode, exitCode === 0 ? '' : `${stderr}`]).toEqual([0, ''])
  })

test.if(hasPrograms('nginx', 'haproxy', 'caddy', 'curl', 'openssl'))(
  'behind each proxy, client addresses are limited and cannot be forged, nodes compress, and no request fails when a node is killed',
  async () => {
    const script = Bun.spawn([join(ROOT, 'deploy/proxy/check.sh')], {
      env: { PATH: process.env.PATH ?? '' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(script.stdout).text(),
      new Response(script.stderr).text(),
    ])
    const code = await script.exited
    expect([code, code === 0 ? '' : err, out.trim().split('\n').at(-1)]).toEqual([0, '', 'all checks passed'])
  },
)
