/** A process whose callers ask for pages and are then stopped: they neither read, nor leave. */
import { LARGE_PAGES } from './slow-callers.ts'

const [port, count] = process.argv.slice(2).map(Number)
const begun = Array.from({ length: Number(count) }, async () => {
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: { data: (reading) => void reading.pause() },
  })
  socket.write(LARGE_PAGES)
})
await Promise.all(begun)
console.log('ready')
setInterval(() => undefined, 1000)
