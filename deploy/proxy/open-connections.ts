/**
 * Opens connections with unfinished requests from one address, until enough of them are refused:
 *
 *   bun open-connections.ts PORT CONNECTIONS REFUSALS
 */
import { connect } from 'node:tls'

const [port = 0, connections = 0, refusals = 0] = process.argv.slice(2).map(Number)
const TIMEOUT_MILLISECONDS = 10_000
// The body never arrives: the request stays in progress.
const REQUEST = 'POST /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n'

let refused = 0

function open(): void {
  let isRefused = false
  const refuse = () => {
    if (isRefused) return
    isRefused = true
    refused++
    if (refused >= refusals) end(0)
  }
  const options = { host: '127.0.0.1', port, localAddress: '127.0.0.2', rejectUnauthorized: false }
  const socket = connect(options, () => socket.write(REQUEST))
  socket.on('data', (bytes) => {
    if (/^HTTP\/1\.1 (429|503)/.test(bytes.toString('latin1'))) refuse()
  })
  socket.on('error', refuse)
  socket.on('close', refuse)
}

function end(code: number): void {
  process.stdout.write(`  connections: ${refused} of ${connections} from one address were refused\n`)
  process.exit(code)
}

setTimeout(() => end(1), TIMEOUT_MILLISECONDS)
for (let at = 0; at < connections; at++) open()
