import { PassportError } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

type Exchange<Body> = {
  send: Fetch
  /** Milliseconds for the response and what is read of its body. */
  timeout: number
  signal?: AbortSignal | undefined
  readBody: (response: Response) => Body | Promise<Body>
}

/** One request and its response, as far as `readBody` reads it. */
export async function exchange<Body>(
  url: string,
  init: RequestInit,
  { send, timeout, signal, readBody }: Exchange<Body>,
): Promise<{ response: Response; body: Body }> {
  signal?.throwIfAborted()
  // AbortSignal.timeout() does not keep a Node process alive, and in Node 20 AbortSignal.any() leaks on a long-lived signal.
  const controller = new AbortController()
  const cancel = () => controller.abort(signal?.reason)
  const expire = () => controller.abort(new PassportError('timeout', `No response within ${timeout} ms.`))
  const timer = setTimeout(expire, timeout)
  signal?.addEventListener('abort', cancel)
  try {
    // Redirects are errors: the service sends none, and no other host may see the key.
    const response = await send(url, { redirect: 'error', ...init, signal: controller.signal })
    return { response, body: await readBody(response) }
  } catch (error) {
    controller.signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    throw new PassportError('network', `The service could not be reached: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/** The Retry-After header: seconds or an HTTP date, to milliseconds from now. */
export function parseRetryAfter({ headers }: Response, now: number): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The delay after some failures. Jitter: clients that failed together must not retry together. */
export const backoff = (first: number, failures: number, longest: number, random: () => number): number =>
  Math.min(first * 2 ** failures, longest) * (0.5 + random() / 2)
