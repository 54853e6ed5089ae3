/** A response, or the error of a request that got none. */
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

/** Sends one request after the other until the signal. A refused connection is followed by a pause. */
export async function sendRequests({ url, next, onExchange, keepalive, signal }: Options): Promise<void> {
  while (!signal.aborted) {
    const { target, headers = {} } = next()
    const startedAt = performance.now()
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
      const response = await fetch(url + target, { headers, keepalive, signal: timeout })
      onExchange({ target, startedAt, response, text: await response.text() })
    } catch (error) {
      onExchange({ target, startedAt, error: error as Error })
      if (isRefused(error as Error)) await Bun.sleep(20)
    }
  }
}

export const isRefused = ({ code }: NodeJS.ErrnoException) => code === 'ConnectionRefused'

/** Half of the clients keep their connections. */
export const startClients = (count: number, options: Omit<Options, 'keepalive'>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => sendRequests({ ...options, keepalive: at % 2 === 0 })))
