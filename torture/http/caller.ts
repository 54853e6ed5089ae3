type Options = {
  /** Whether it says, once all is sent, that it will send no more. */
  finishes?: boolean
  /** How many milliseconds it waits for the end. */
  patience?: number
}

const PATIENCE = 30_000

/** Sends the pieces, each in a turn of its own, and gives back all that came until the connection ended; throws where it does not end. */
export async function exchange(
  port: number,
  pieces: readonly Buffer[],
  { finishes = true, patience = PATIENCE }: Options = {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  let ready = Promise.withResolvers<void>()
  const wake = () => {
    ready.resolve()
    ready = Promise.withResolvers()
  }
  let isGone = false
  function leave() {
    isGone = true
    ended.resolve()
    wake()
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    allowHalfOpen: true,
    socket: {
      data: (_, chunk) => void chunks.push(chunk),
      drain: wake,
      end(ending) {
        ending.end()
        leave()
      },
      close: leave,
      error: leave,
    },
  })
  const giveUp = setTimeout(() => {
    ended.reject(new Error(`no end after ${patience / 1000} s`))
    socket.terminate()
  }, patience)
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length && !isGone; ) {
        at += Math.max(0, socket.write(piece, at))
        if (at < piece.length && !isGone) await ready.promise
      }
      if (isGone) break
      if (pieces.length > 1) await Bun.sleep(0)
    }
    if (finishes && !isGone) socket.shutdown()
    await ended.promise
    return Buffer.concat(chunks)
  } finally {
    clearTimeout(giveUp)
  }
}
