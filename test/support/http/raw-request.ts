import { connect } from 'node:net'

/** Sends these bytes and returns all data until the server closes the connection. fetch would normalize paths and headers. */
export function sendBytes(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(reply))
    socket.write(text, 'latin1')
  })
}
