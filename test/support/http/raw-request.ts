import { connect } from 'node:net'

/** Sends a request unchanged; fetch would normalize the path and the headers. */
export function sendRaw(port: number, request: string, headers: readonly string[]) {
  const lines = [`${request} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', '']
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const chunks: Buffer[] = []
    connect(port, '127.0.0.1')
      .on('connect', function (this: { write(text: string): void }) {
        this.write(lines.join('\r\n'))
      })
      .on('data', (chunk) => chunks.push(Buffer.from(chunk)))
      .on('error', reject)
      .on('close', () => {
        const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
        resolve({ status: Number(head.split(' ')[1]), body })
      })
  })
}

/** Sends these bytes and returns all data until the server closes the connection. */
export function sendBytes(port: number, text: string): Promise<string> {
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
