import { type Answer, readAnswer } from './answer.ts'

/** A caller that keeps its connection. */
export type Keeper = {
  /** Asks, and waits for the answer; `undefined` where the connection ends before it. */
  ask(text: string): Promise<Answer | undefined>
  isGone(): boolean
  leave(): void
}

const PATIENCE = 30_000

export async function connectKeeper(port: number): Promise<Keeper> {
  let received = Buffer.alloc(0)
  let isGone = false
  let wake: () => void = () => undefined
  function leave() {
    isGone = true
    wake()
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, chunk) {
        received = Buffer.concat([received, chunk])
        wake()
      },
      close: leave,
      error: leave,
      end: leave,
    },
  })
  return {
    async ask(text) {
      if (isGone) return undefined
      socket.write(text)
      const giveUp = setTimeout(() => socket.terminate(), PATIENCE)
      try {
        while (!isGone) {
          const answer = readAnswer(received, 0, text.startsWith('HEAD') ? 'HEAD' : 'GET')
          if (answer) {
            received = received.subarray(answer.end)
            return answer
          }
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        return undefined
      } finally {
        clearTimeout(giveUp)
      }
    },
    isGone: () => isGone,
    leave: () => socket.terminate(),
  }
}
