import { connect, type Socket } from 'node:net'

/** Sends these bytes and reads nothing. */
export function openRequest(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(text)
  return socket
}

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
