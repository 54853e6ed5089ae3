import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resultOf } from '../support/cli.ts'
import { findProgram, hasPrograms } from '../support/programs.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../..')
const CERTIFICATE = join(ROOT, 'test/support/postgres/postgres-tls')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const UNIT = read('deploy/passportd.service')
const settings = UNIT.split('\n')
const settingOf = (name: string) =>
  settings.find((line) => line.startsWith(`${name}=`))?.split(/=(.*)/)[1] ?? ''
const { scripts, dependencies } = JSON.parse(read('package.json'))

test('the systemd unit can use only the network and its own folder, without privileges', () => {
  expect(settings).toEqual(
    expect.arrayContaining([
      'User=passportd',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'ProtectHome=true',
      'PrivateTmp=true',
      'PrivateDevices=true',
      'StateDirectoryMode=0700',
      'UMask=0077',
      'LimitCORE=0',
      'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
      'SystemCallFilter=@system-service',
      'SystemCallFilter=~@privileged',
    ]),
  )
  expect(settingOf('ReadWritePaths')).toBe('')
})

test('the systemd unit runs the same command as "npm run passportd"', () => {
  const command = settingOf('ExecStart').replace('node_modules/.bin/', '').replaceAll('/opt/passportd/', '')
  expect(command).toBe(`${scripts.passportd.replace('exec ', '')} serve`)
})

/** A data folder in which a compromised service left a preload script for Bun. */
function hostileFolder() {
  const folder = tempFolder()
  writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
  writeFileSync(join(folder.path, 'evil.ts'), 'process.exit(7)\n')
  writeFileSync(join(folder.path, '.env'), 'BUN_OPTIONS=--preload=./evil.ts\n')
  return folder
}

test('the systemd unit does not run code from its data folder', () => {
  using data = hostileFolder()
  const local = (name: string) =>
    settingOf(name).replaceAll('/opt/passportd', ROOT).replaceAll('/var/lib/passportd', data.path)
  const command = [...local('ExecStart').split(' ').slice(0, -1), '--version']
  const folder = local('WorkingDirectory')
  expect(folder).not.toBe(data.path)
  // An operator may run the command in the data folder. There, too, the preload script must not run.
  for (const cwd of [folder, data.path]) {
    const { exitCode, stdout } = Bun.spawnSync(command, { cwd, env: {} })
    expect([exitCode, `${stdout}`]).toEqual([0, expect.stringMatching(/^passportd \d/)])
  }
})

test('systemd restarts the service after every exit, except after invalid settings', () => {
  expect(settings).toEqual(
    expect.arrayContaining(['Restart=always', 'StartLimitIntervalSec=0', 'RestartPreventExitStatus=2']),
  )
})

test.if(hasPrograms('systemd-analyze'))('systemd accepts the unit and rates its exposure as low', () => {
  using folder = tempFolder()
  const path = join(folder.path, 'passportd.service')
  // systemd checks that the program exists.
  writeFileSync(path, UNIT.replaceAll('/opt/passportd', ROOT))
  const ask = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...args, path])
    return exitCode === 0 ? '' : `${stdout}${stderr}`
  }
  expect(ask('verify')).toBe('')
  // The exposure is out of 100, and lower is better. A unit without restrictions has 96.
  expect(ask('security', '--offline=true', '--threshold=20', '--no-pager')).toBe('')
})

const [, BUILD = '', FINAL = ''] = read('Dockerfile').split(/^FROM /m)
const HEALTH_CHECK: string[] = JSON.parse(/^HEALTHCHECK .* CMD (.+)$/m.exec(FINAL)?.[1] ?? '[]')
const copied = [...BUILD.matchAll(/^COPY (.+) (\S+)$/gm)].flatMap(([, from = '']) => from.split(' '))

test.each(['compose.yaml', 'compose.scaled.yaml'])(
  'nodes of %s run without privileges on a read-only file system',
  (name) => {
    const compose = read(join('deploy', name))
    const node = compose.split('x-postgres:')[0] as string
    const wanted = [
      'build: ..',
      'read_only: true',
      'cap_drop: [ALL]',
      'no-new-privileges:true',
      'stop_grace_period: 15s',
    ]
    for (const line of wanted) expect(node).toContain(line)
    expect(Bun.YAML.parse(compose)).toHaveProperty('services')
  },
)

type Service = { environment: Record<string, string>; ports?: string[]; image?: string }
type Compose = {
  services: Record<string, Service>
  configs: Record<string, { content: string }>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}
const { services, configs, networks } = Bun.YAML.parse(read('deploy/compose.scaled.yaml')) as Compose

test('the nodes of compose.scaled.yaml see client addresses and share rate limits, and the only published port is on loopback', () => {
  const node = services['node-1'] as Service
  expect(node.environment).toMatchObject({
    TRUST_PROXY: networks.default.ipam.config[0]?.subnet as string,
    REDIS_URL: 'redis://redis:6379',
  })
  expect(services.redis?.image).toStartWith('redis:')
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(published).toEqual(['127.0.0.1:8080:8080'])
  const { content } = configs.haproxy as { content: string }
  for (const line of ['option forwardfor', 'option redispatch 1', 'retry-on conn-failure empty-response'])
    expect(content).toContain(line)
})

test('the PostgreSQL role of passportd in compose.scaled.yaml is not a superuser', () => {
  expect(services['node-1']?.environment.DATABASE_URL).toStartWith('postgres://passportd:')
  expect(services.primary?.environment.POSTGRES_USER).not.toBe('passportd')
  expect(configs.database?.content).toMatch(/create role passportd login password/)
  expect(configs.database?.content).not.toMatch(/superuser/)
})

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

test('the image has the executable, an unprivileged user, a data folder and a health check', () => {
  expect(FINAL).toStartWith(
    'debian:12-slim\nCOPY --from=build /app/dist/passportd /usr/local/bin/passportd\n',
  )
  expect(FINAL.match(/^USER (.+)$/gm)).toEqual(['USER 10001:10001'])
  // The working directory is not /data, because the service can write there and Bun would run code from it.
  expect(FINAL.match(/^WORKDIR (.+)$/gm)).toEqual(['WORKDIR /'])
  for (const line of [
    'COPY --from=build --chown=10001:10001 /app/volume /',
    'VOLUME /data',
    'ENTRYPOINT ["passportd"]',
  ])
    expect(FINAL).toContain(line)
  expect(HEALTH_CHECK).toEqual(['passportd', 'doctor', '--health'])
  expect(BUILD).toContain('RUN npm ci --omit=dev')
  expect(BUILD).toContain('install -d -m 700 volume/data')
})

test('the last stage of the image needs no shell, and deploy/container/build.sh has its files', () => {
  expect(FINAL).not.toMatch(/^(RUN|SHELL) /m)
  const script = read('deploy/container/build.sh')
  const needed = [...FINAL.matchAll(/^COPY --from=build (?:--\S+ )?\/(\S+) /gm)].map(([, path]) => path)
  expect(needed).toEqual(['app/dist/passportd', 'app/volume'])
  for (const path of needed) expect(script).toContain(`"$context/${path}`)
  expect(script).toContain("'s/--from=build //; /^FROM debian/,$p'")
})

test.each(['http', 'https'])(
  'the health check of the image follows TLS_CERT: it works over %s, and ignores HTTP_PROXY',
  async (scheme) => {
    const tls = { cert: Bun.file(`${CERTIFICATE}.crt`), key: Bun.file(`${CERTIFICATE}.key`) }
    let status: number | undefined = 200
    await using server = Bun.serve({
      port: 0,
      ...(scheme === 'https' && { tls }),
      fetch: (request) =>
        status === undefined
          ? new Promise<never>(() => {})
          : new Response(null, { status: new URL(request.url).pathname === '/health' ? status : 404 }),
    })
    const env = {
      PORT: String(server.port),
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      ...(scheme === 'https' && { TLS_CERT: `${CERTIFICATE}.crt`, TLS_KEY: `${CERTIFICATE}.key` }),
    }
    const command = [process.execPath, join(ROOT, 'src/cli/main.ts'), ...HEALTH_CHECK.slice(1)]
    const run = () => resultOf(Bun.spawn(command, { cwd: '/', env, stdout: 'pipe', stderr: 'pipe' }))
    const address = `127.0.0.1:${server.port}`
    expect(await run()).toEqual({ code: 0, out: '', err: '' })
    status = 503
    expect(await run()).toEqual({
      code: 1,
      out: '',
      err: `passportd: /health on ${address} responded 503.\n`,
    })
    const noResponse = { code: 1, err: expect.stringContaining(`No response from ${address}: `) }
    status = undefined
    expect(await run()).toMatchObject(noResponse)
    await server.stop(true)
    expect(await run()).toMatchObject(noResponse)
  },
)

test('the build context has only the files that the image needs: no data, settings or history', () => {
  const sent = read('.dockerignore').trim().split('\n')
  expect(sent[0]).toBe('*')
  expect(sent.slice(1).map((line) => line.replace(/^!/, ''))).toEqual(copied)
  for (const path of copied) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
})

test('an executable can be built from the build context alone, and does not run code from its data folder', async () => {
  using folder = tempFolder()
  for (const path of copied) cpSync(join(ROOT, path), join(folder.path, path), { recursive: true })
  // Links only production dependencies, as "npm ci --omit=dev" would install them.
  for (const name of Object.keys(dependencies)) {
    const place = join(folder.path, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), place)
  }
  const run = (...command: string[]) => Bun.spawnSync(command, { cwd: folder.path }).stdout.toString()
  expect(run(process.execPath, 'deploy/executable.ts')).toBe('dist/passportd\n')
  expect(run(join(folder.path, 'dist/passportd'), '--version')).toMatch(/^passportd \d/)

  using data = hostileFolder()
  using server = Bun.serve({ port: 0, fetch: () => new Response() })
  const env = { PATH: `${join(folder.path, 'dist')}:${process.env.PATH}`, PORT: String(server.port) }
  for (const command of [['passportd', '--version'], HEALTH_CHECK]) {
    const child = Bun.spawn(command, { cwd: data.path, env })
    expect([command, await child.exited]).toEqual([command, 0])
  }
})
