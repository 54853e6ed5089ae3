/**
 * Runs in its own process. It requests /health repeatedly until its input ends. Then it prints the most CPU time that the
 * server thread used while a request waited, and the most memory of the server.
 */
import { readFileSync } from 'node:fs'
import { cpuOf, ownMemory, waitOf } from './thread-times.ts'

const [, , url = '', pid, schedstat = ''] = process.argv
const PAUSE_MILLISECONDS = 1
const MEMORY_INTERVAL = 10

let isEnded = false
const most = { cpu: 0, at: 0, wall: 0, memory: 0, count: 0 }
const startedAt = performance.now()
let received = () => {}

void Bun.stdin.text().then(() => {
  isEnded = true
})
const { hostname, port } = new URL(url)
const socket = await Bun.connect({
  hostname,
  port: Number(port),
  socket: {
    data(_, bytes) {
      if (!bytes.toString().startsWith('HTTP/1.1 200')) throw new Error(`/health: ${bytes.toString()}`)
      received()
    },
    close() {
      if (!isEnded) throw new Error('The server closed the connection of the probe.')
    },
  },
})
const read = () => [
  cpuOf(readFileSync(schedstat, 'utf8')),
  waitOf(readFileSync('/proc/self/schedstat', 'utf8')),
]

while (!isEnded) {
  const [cpu = 0, waited = 0] = read()
  const begin = performance.now()
  const response = new Promise<void>((resolve) => {
    received = resolve
  })
  socket.write('GET /health HTTP/1.1\r\nHost: probe\r\n\r\n')
  await response
  const [cpuAfter = 0, waitedAfter = 0] = read()
  // While this process waits for a core, the server can use CPU time for other requests, so that time is subtracted.
  const spent = cpuAfter - cpu - (waitedAfter - waited)
  if (spent > most.cpu) Object.assign(most, { cpu: spent, at: begin - startedAt })
  most.wall = Math.max(most.wall, performance.now() - begin)
  if (most.count % MEMORY_INTERVAL === 0) most.memory = Math.max(most.memory, ownMemory(Number(pid)))
  if (most.count++ === 0) console.log('started')
  await Bun.sleep(PAUSE_MILLISECONDS)
}
console.log(JSON.stringify(most))
process.exit(0)
