import { RedisClient } from 'bun'
import { findPort } from '../postgres/postgres-process.ts'
import { findProgram } from '../programs.ts'
import { tempFolder } from '../temp-folder.ts'
import { until } from '../wait-until.ts'

/** A Redis server without persistence, stopped at the end of the block. */
export async function startRedis({ password = '' } = {}) {
  const folder = tempFolder()
  const port = await findPort()
  const url = `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`
  const locked = password === '' ? [] : ['--requirepass', password]
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...locked]

  async function launch() {
    const child = Bun.spawn([findProgram('redis-server') as string, ...args], {
      cwd: folder.path,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until(async () => (await ask('PING').catch(() => '')) === 'PONG')
    return child
  }
  async function ask(command: string, ...rest: string[]) {
    const client = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false })
    try {
      await client.connect()
      return await client.send(command, rest)
    } finally {
      client.close()
    }
  }
  let child = await launch()

  return {
    url,
    port,
    ask,
    async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') {
      child.kill(signal)
      await child.exited
    },
    async restart() {
      child = await launch()
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}

/** A fake Redis that replies to every command with `answer`, but accepts HELLO if `acceptsHandshake` is true. */
export function pretendRedis(
  answer: string | Uint8Array | ((sent: string) => string),
  { delayMilliseconds = 0, port = 0, acceptsHandshake = true } = {},
) {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(socket, bytes) {
        const sent = bytes.toString('latin1')
        for (const [command] of sent.matchAll(/HELLO|EVAL/g)) {
          const reply = typeof answer === 'function' ? answer(sent) : answer
          if (acceptsHandshake && command === 'HELLO') socket.write('%0\r\n')
          else setTimeout(() => socket.write(reply), delayMilliseconds)
        }
      },
    },
  })
  return { url: `redis://127.0.0.1:${server.port}`, [Symbol.dispose]: () => server.stop(true) }
}
