import type { Reply } from './reply.ts'

/** Room for the answers to all requests that come at once on a connection, unless they are large. */
const ROOM = 64 * 1024

type Sending = { ends: boolean; isHead: boolean; flush: () => void }

/** Puts answers into bytes, many into one piece: each handing over to the system costs as much as making one. */
export function createOutbox(now: () => number) {
  const room = Buffer.allocUnsafe(ROOM)
  let bytes = room
  let length = 0
  let second = 0
  let date = ''

  function dateLine(): string {
    const present = Math.floor(now() / 1000)
    if (present !== second) {
      second = present
      date = `Date: ${new Date(present * 1000).toUTCString()}\r\n`
    }
    return date
  }

  return {
    add({ head, lines, body }: Reply, { ends, isHead, flush }: Sending): void {
      const content = typeof body === 'string' ? Buffer.from(body) : body
      // An answer that never has a body has no length: RFC 9110, section 8.6.
      const hasLength = content.length > 0 || !BODILESS.test(head)
      const last = `${dateLine()}${hasLength ? `Content-Length: ${content.length}\r\n` : ''}${ends ? 'Connection: close\r\n' : ''}\r\n`
      const size = head.length + lines.length + last.length + (isHead ? 0 : content.length)
      if (length + size > bytes.length) {
        flush()
        if (size > ROOM) bytes = Buffer.allocUnsafe(size)
      }
      length += bytes.write(head, length, 'latin1')
      length += bytes.write(lines, length, 'latin1')
      length += bytes.write(last, length, 'latin1')
      if (isHead) return
      bytes.set(content, length)
      length += content.length
    },
    /** All that was added since it was last asked for; to be used before anything else is added. */
    take(): { bytes: Buffer; length: number } {
      const taken = { bytes, length }
      bytes = room
      length = 0
      return taken
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>

const BODILESS = /^HTTP\/1.1 (?:204|304) /
