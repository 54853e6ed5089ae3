/** A request and its response or error. */
export type Exchange = { target: string; startedAt: number } & (
  | { response: Response; text: string }
  | { error: NodeJS.ErrnoException }
)

type Options = {
  url: string
  next(): { target: string; headers?: Record<string, string> }
  onExchange(exchange: Exchange): void
  keepalive: boolean
  signal: AbortSignal
}

const TIMEOUT_MILLISECONDS = 30_000
/** During the pause, the threads of a server can stop, or connect to a new index thread, one after another. */
const PAUSE_MILLISECONDS = 100

/** Sends one request after another until `signal` is aborted, with a short pause after an error or a 503. */
export async function sendRequests({ url, next, onExchange, keepalive, signal }: Options): Promise<void> {
  while (!signal.aborted) {
    const { target, headers = {} } = next()
    const startedAt = performance.now()
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
      const response = await fetch(url + target, { headers, keepalive, signal: timeout })
      onExchange({ target, startedAt, response, text: await response.text() })
      if (response.status === 503) await Bun.sleep(PAUSE_MILLISECONDS)
    } catch (error) {
      onExchange({ target, startedAt, error: error as Error })
      await Bun.sleep(PAUSE_MILLISECONDS)
    }
  }
}

/** Half of the clients reuse their connections. */
export const startClients = (count: number, options: Omit<Options, 'keepalive'>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => sendRequests({ ...options, keepalive: at % 2 === 0 })))
