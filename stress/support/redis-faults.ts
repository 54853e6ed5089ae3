import { connect, type Socket } from 'node:net'
import { pretendRedis, type startRedis } from '../../test/support/redis/redis.ts'

export type Redis = Awaited<ReturnType<typeof startRedis>>

/** `begin` returns the function that ends the fault. */
type Fault = { name: string; begin(redis: Redis): Promise<() => unknown> }

/** Replies that a real Redis never sends to the service. */
export const INVALID_REPLIES: Record<string, string | Uint8Array> = {
  nothing: '',
  'a simple string': '+OK\r\n',
  'an error': '-ERR no\r\n',
  'NOSCRIPT to every command': '-NOSCRIPT No matching script.\r\n',
  'an integer of 40 digits': `:${'9'.repeat(40)}\r\n`,
  'the length of a string of half a gigabyte': '$536870912\r\n',
  'the length of an array of two billion': '*2147483647\r\n',
  'deeply nested arrays': '*1\r\n'.repeat(100_000),
  'an HTTP response': 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n',
  'an unexpected push message': '>2\r\n+message\r\n:1\r\n',
  'not a number': ',nan\r\n',
  'random bytes': crypto.getRandomValues(new Uint8Array(60_000)),
}

export const FAULTS: readonly Fault[] = [
  { name: 'killed', begin: stopped((redis) => redis.kill()) },
  {
    name: 'frozen',
    async begin(redis) {
      redis.freeze()
      return redis.thaw
    },
  },
  { name: 'stopped', begin: stopped((redis) => redis.kill('SIGTERM')) },
  {
    name: 'out of memory',
    begin: settings({ 'maxmemory-policy': 'noeviction', maxmemory: '1' }, { maxmemory: '0' }),
  },
  { name: 'no connections left', begin: exhaustConnections },
  {
    name: 'connections ended by the server',
    async begin(redis) {
      await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      return () => undefined
    },
  },
  {
    name: 'paused',
    async begin(redis) {
      await redis.ask('CLIENT', 'PAUSE', '1500', 'ALL')
      return () => undefined
    },
  },
  {
    name: 'script cache flushed',
    async begin(redis) {
      await redis.ask('SCRIPT', 'FLUSH')
      return () => undefined
    },
  },
  {
    name: 'a replica of an unavailable server',
    async begin(redis) {
      await redis.ask('REPLICAOF', '127.0.0.1', '1')
      return () => redis.ask('REPLICAOF', 'NO', 'ONE')
    },
  },
  ...Object.entries(INVALID_REPLIES).map(([name, reply], at) => ({
    name: `replaced by a server that sends ${name}`,
    async begin(redis: Redis) {
      await redis.kill()
      const other = pretendRedis(reply, { port: redis.port, acceptsHandshake: at % 2 === 0 })
      return () => {
        other[Symbol.dispose]()
        return redis.restart()
      }
    },
  })),
]

/** Stops Redis. The function that ends the fault restarts it. */
function stopped(stop: (redis: Redis) => Promise<unknown>): Fault['begin'] {
  return async (redis) => {
    await stop(redis)
    return redis.restart
  }
}

function settings(faulty: Record<string, string>, normal: Record<string, string>): Fault['begin'] {
  return async (redis) => {
    const set = (values: Record<string, string>) =>
      redis.ask('CONFIG', 'SET', ...Object.entries(values).flat())
    await set(faulty)
    return () => set(normal)
  }
}

/** Closes the connections of the service, and opens as many others as Redis allows. */
async function exhaustConnections(redis: Redis): Promise<() => unknown> {
  const most = 40
  await redis.ask('CONFIG', 'SET', 'maxclients', String(most))
  await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  const others = await Promise.all(Array.from({ length: 2 * most }, () => open(redis.port)))
  return async () => {
    for (const socket of others) socket.destroy()
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(socket))
    socket.on('error', () => socket.destroy())
  })
}
