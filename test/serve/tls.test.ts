import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { serveProcess } from '../support/cli.ts'
import { writeCertificate } from '../support/http/certificate.ts'
import { retryOnce, startLoad } from '../support/http/load.ts'
import { readLines, until } from '../support/processes.ts'
import { hasPrograms } from '../support/programs.ts'
import { tempFolder } from '../support/temp-folder.ts'

const nameAt = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })

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
  'SIGHUP reloads the certificate, a broken one is ignored, and clients that retry see no failure',
  async () => {
    using folder = tempFolder()
    const env = { ...writeCertificate(folder.path, 'first'), TIERS: 'anonymous=unlimited' }
    await using server = await serveProcess(['--workers', `${workers}`], { cwd: folder.path, env })
    const port = Number(new URL(server.url).port)
    const log = readLines(server.child.stderr)
    const logged = (text: string) => log.filter((line) => line.includes(text)).length
    expect(server.url).toStartWith('https://')
    expect(await nameAt(port)).toBe('first')
    // A handshake in progress is reset when its listener closes.
    const load = startLoad(retryOnce(() => send(server.url)))

    writeFileSync(env.TLS_CERT, 'broken')
    server.child.kill('SIGHUP')
    await until(() => logged('The TLS certificate stays as it was: ') === workers)
    expect(await nameAt(port)).toBe('first')

    writeCertificate(folder.path, 'second')
    server.child.kill('SIGHUP')
    await until(() => logged('The TLS certificate was read again.') === workers)
    await until(async () => (await nameAt(port)) === 'second')
    const before = load.sent()
    await until(() => load.sent() > before + 20)
    for (let times = 0; times < 20; times++) expect(await nameAt(port)).toBe('second')
    expect(await load.end()).toEqual([])
  },
)
