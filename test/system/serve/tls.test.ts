import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { serveProcess } from '../../support/cli.ts'
import { writeCertificate } from '../../support/http/certificate.ts'
import { retryOnce, startLoad } from '../../support/http/load.ts'
import { readLines } from '../../support/log-lines.ts'
import { hasPrograms } from '../../support/programs.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

const nameAt = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })

const namesAt = (port: number) => Promise.all(Array.from({ length: 20 }, () => nameAt(port)))

async function send(url: string): Promise<number> {
  const response = await fetch(`${url}/health`, {
    keepalive: false,
    tls: { rejectUnauthorized: false },
  })
  await response.text()
  return response.status
}

const workers = process.platform === 'linux' ? 2 : 1

test.if(hasPrograms('openssl'))(
  'SIGHUP reloads the certificate, a broken one is logged in one line, and clients that retry see no failure',
  async () => {
    using folder = tempFolder()
    const env = { ...writeCertificate(folder.path, 'first'), TIERS: 'anonymous=unlimited' }
    await using server = await serveProcess(['--workers', `${workers}`], { cwd: folder.path, env })
    const port = Number(new URL(server.url).port)
    const log = readLines(server.child.stderr)
    const logged = (text: string) => log.filter((line) => line.includes(text)).length
    expect(server.url).toStartWith('https://')
    expect(await nameAt(port)).toBe('first')
    // Requests are retried once, because a handshake in progress is reset when its listener closes.
    const load = startLoad(retryOnce(() => send(server.url)))

    writeFileSync(env.TLS_CERT, 'broken')
    server.child.kill('SIGHUP')
    await until(() => logged('TLS certificate stays ') > 0)
    expect(log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')).toEqual([
      {
        time: expect.any(String),
        level: 'error',
        message: `The old TLS certificate stays in use: TLS_CERT must be a readable PEM file with a certificate, got "${env.TLS_CERT}" (no certificate).`,
      },
    ])
    expect(await nameAt(port)).toBe('first')

    writeCertificate(folder.path, 'second')
    server.child.kill('SIGHUP')
    await until(() => logged('The TLS certificate was read again.') === workers)
    // The old listeners accept connections until they are drained, and then reset handshakes.
    await until(async () => (await namesAt(port).catch(() => [''])).every((name) => name === 'second'))
    const before = load.sent()
    await until(() => load.sent() > before + 20)
    expect(new Set(await namesAt(port))).toEqual(new Set(['second']))
    expect(await load.end()).toEqual([])
  },
)
