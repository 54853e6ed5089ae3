type Send = () => Promise<number>

/** Sends requests with concurrent clients until `end()`, which returns all errors and all statuses except 200. */
export function startLoad(send: Send, clients = 4) {
  const failures: unknown[] = []
  let sent = 0
  let isEnded = false
  async function run(): Promise<void> {
    while (!isEnded) {
      const status = await send().catch((error: Error) => error.message)
      if (status !== 200) failures.push(status)
      sent++
      // A load without pauses would only slow down other tests.
      await Bun.sleep(4)
    }
  }
  const running = Array.from({ length: clients }, run)
  return {
    failures,
    sent: () => sent,
    async end(): Promise<unknown[]> {
      isEnded = true
      await Promise.all(running)
      return failures
    },
  }
}

/** Retries once, as most clients do: a listener that closes may break a connection before the response. */
export const retryOnce =
  (send: Send): Send =>
  () =>
    send().catch(async () => {
      await Bun.sleep(100)
      return send()
    })
