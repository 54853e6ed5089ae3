import { connect, type Socket } from 'node:net'

/** Sends these bytes and reads nothing. */
export function openRequest(port: number, text: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(text, 'latin1')
  return socket
}

/** Sends these bytes and returns all data until the server closes the connection. fetch would normalize paths and headers. */
export function sendBytes(port: number, text: string | Buffer): Promise<string> {
  const socket = openRequest(port, text)
  let reply = ''
  socket.on('data', (chunk) => {
    reply += chunk
  })
  return new Promise((resolve) => socket.on('close', () => resolve(reply)))
}
