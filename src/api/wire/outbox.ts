import { LARGE_BODY, type LateBody, type Reply } from './reply.ts'

/** Who takes bytes that are put together here. They are used again afterwards: what is not sent must be copied. */
export type Receiver = {
  write(bytes: Buffer, start: number, length: number): void
  /** Bytes that stay as they are. */
  give(bytes: Uint8Array): void
  /** Where what was promised cannot be sent. */
  abort(): void
}

type Letter = { receiver: Receiver; start: number; length: number }
type Late = { receiver: Receiver; body: LateBody; at: number }
type Sending = { ends: boolean; isOld: boolean; isHead: boolean }

/** Room for the answers of one turn, unless they are large. */
const ROOM = 256 * 1024

/**
 * Puts answers into bytes. They wait here until all of a turn are there, and are handed to the system in a row: each of the two
 * costs a fraction of what it costs in between.
 */
export function createOutbox(now: () => number) {
  const room = Buffer.allocUnsafe(ROOM)
  let letters: Letter[] = []
  let late: Late[] = []
  let used = 0
  let second = 0
  let date = ''

  function readClock(): void {
    const present = Math.floor(now() / 1000)
    if (present === second) return
    second = present
    date = `Date: ${new Date(present * 1000).toUTCString()}\r\n`
  }

  function flush(): void {
    const [ready, unread] = [letters, late]
    letters = []
    late = []
    used = 0
    for (const { receiver, body, at } of unread) if (!body.read(room, at)) receiver.abort()
    for (const { receiver, start, length } of ready) receiver.write(room, start, length)
  }

  /** A receiver's answers that follow each other are one letter. */
  function post(receiver: Receiver, length: number): void {
    const last = letters.at(-1)
    if (last?.receiver === receiver) last.length += length
    else letters.push({ receiver, start: used, length })
    used += length
  }

  function put(receiver: Receiver, body: Uint8Array | LateBody, bytes: Buffer, at: number): void {
    if (body instanceof Uint8Array) bytes.set(body, at)
    else if (bytes === room) late.push({ receiver, body, at })
    else if (!body.read(bytes, at)) receiver.abort()
  }

  return {
    add(receiver: Receiver, { head, lines, body }: Reply, { ends, isOld, isHead }: Sending): void {
      if (letters.length === 0) readClock()
      const content = typeof body === 'string' ? Buffer.from(body) : body
      // An answer that never has a body has no length: RFC 9110, section 8.6.
      const length = content.length > 0 || !BODILESS.test(head) ? `Content-Length: ${content.length}\r\n` : ''
      const connection = ends ? 'Connection: close\r\n' : isOld ? 'Connection: keep-alive\r\n' : ''
      const last = `${lines}${date}${length}${connection}\r\n`
      const isApart = !isHead && content instanceof Uint8Array && content.length > LARGE_BODY
      const size = head.length + last.length + (isHead || isApart ? 0 : content.length)
      if (used + size > ROOM) flush()
      const bytes = size > ROOM ? Buffer.allocUnsafe(size) : room
      let at = size > ROOM ? 0 : used
      at += bytes.write(head, at, 'latin1')
      at += bytes.write(last, at, 'latin1')
      if (!isHead && !isApart) put(receiver, content, bytes, at)
      if (bytes === room) post(receiver, size)
      else receiver.give(bytes)
      if (!isApart) return
      flush()
      receiver.give(content)
    },
    flush,
  }
}

export type Outbox = ReturnType<typeof createOutbox>

const BODILESS = /^HTTP\/1.1 (?:204|304) /
