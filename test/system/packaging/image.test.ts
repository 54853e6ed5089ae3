import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resultOf } from '../../support/cli.ts'
import { hostileFolder, tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const CERTIFICATE = join(ROOT, 'test/support/postgres/postgres-tls')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { dependencies } = JSON.parse(read('package.json'))

const [, BUILD = '', FINAL = ''] = read('Dockerfile').split(/^FROM /m)
const HEALTH_CHECK: string[] = JSON.parse(/^HEALTHCHECK .* CMD (.+)$/m.exec(FINAL)?.[1] ?? '[]')
const copied = [...BUILD.matchAll(/^COPY (.+) (\S+)$/gm)].flatMap(([, from = '']) => from.split(' '))

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
    const command = [process.execPath, join(ROOT, 'src/main.ts'), ...HEALTH_CHECK.slice(1)]
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
