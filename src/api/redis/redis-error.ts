import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

const TIMEOUT_MILLISECONDS = 1000

/** Why Redis cannot be used. Bun's client reports "Connection closed" for a refused port and for a wrong password. */
export async function explainRedisError(url: string, error: unknown): Promise<string> {
  const { message } = error as Error
  if (!/closed|auth/i.test(message)) return message.replace(/\.$/, '')
  const reply = await askRedis(new URL(url)).catch((failure: NodeJS.ErrnoException) => failure)
  if (reply instanceof Error) {
    if (reply.code === 'ECONNREFUSED') return 'nothing listens on its port (ECONNREFUSED)'
    return reply.message
  }
  if (/^-WRONGPASS/.test(reply)) return 'it refuses the user or password of REDIS_URL'
  if (/^-NOAUTH/.test(reply)) return 'it needs a password, and REDIS_URL has none'
  return reply.startsWith('-') ? reply.slice(1) : message
}

/** The first line of the response to AUTH, or to PING without a password. */
function askRedis({ protocol, hostname, port, username, password }: URL): Promise<string> {
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }
  const [user, secret] = [username, password].map(decodeURIComponent)
  const command = secret ? ['AUTH', ...(user ? [user] : []), secret] : ['PING']
  return new Promise((resolve, reject) => {
    const socket =
      protocol === 'rediss:' ? connectTls({ ...target, servername: target.host }) : connect(target)
    const end = (settle: () => void) => {
      socket.destroy()
      settle()
    }
    let received = ''
    socket
      .setTimeout(TIMEOUT_MILLISECONDS, () => end(() => reject(new Error('no response'))))
      .on('error', (error) => end(() => reject(error)))
      .on('close', () => reject(new Error('the connection was closed')))
      .on('data', (bytes) => {
        received += bytes.toString()
        const [line, rest] = received.split('\r\n')
        if (rest !== undefined) end(() => resolve(line ?? ''))
      })
      .write(encode(command))
  })
}

/** The Redis protocol: an array of strings. */
const encode = (words: readonly string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
