const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}
const GOOD = { passport: { passport_id: 1 } }
const error = (code: string) => ({ error: 'On purpose.', code, request_id: 'r' })

type Failure = { status: number; body: unknown; headers?: Record<string, string>; times?: number }

/** The response of each failure for the first `times` requests; later requests get the passport. */
const FAILURES: Record<string, Failure> = {
  'unavailable-twice': { status: 503, body: error('unavailable'), headers: { 'Retry-After': '0' }, times: 2 },
  unavailable: { status: 503, body: error('unavailable'), headers: { 'Retry-After': '0' } },
  'limited-once': { status: 429, body: error('rate_limited'), headers: { 'Retry-After': '0' }, times: 1 },
  'limited-for-long': { status: 429, body: error('rate_limited'), headers: { 'Retry-After': '3600' } },
  page: { status: 404, body: '<h1>Not here</h1>' },
  gone: { status: 410, body: error('removed'), headers: { 'Retry-After': '0' } },
  redirect: { status: 302, body: '', headers: { Location: '/elsewhere' } },
}

export function serveFaults() {
  const counts = new Map<string, number>()
  let runs = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // In development mode it would print the errors.
    development: false,
    fetch({ url, method, headers: sent }) {
      if (method === 'OPTIONS') return new Response(null, { headers: HEADERS })
      const { pathname, searchParams } = new URL(url)
      const [, run, way = ''] = pathname.split('/')
      if (way === 'events') return sendEvents(sent.get('Accept'), searchParams.get('after'))
      if (way === 'silent') return new Promise<Response>(() => undefined)
      if (way === 'cut') return new Response(truncatedBody(), { headers: HEADERS })
      const count = (counts.get(`${run} ${way}`) ?? 0) + 1
      counts.set(`${run} ${way}`, count)
      const { status, body, headers, times = Number.POSITIVE_INFINITY } = FAILURES[way] as Failure
      if (count > times) return Response.json(GOOD, { headers: HEADERS })
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return new Response(text, { status, headers: { ...HEADERS, ...headers } })
    },
  })
  return {
    begin: () => `${server.url.origin}/${++runs}`,
    stop: () => server.stop(true),
  }
}

/** A stream has one event, and its connection ends. */
function sendEvents(accept: string | null, after: string | null): Response {
  if (accept !== 'text/event-stream') return Response.json({ items: [], next: 'k-1' }, { headers: HEADERS })
  const id = `k-${Number(after?.slice(2)) + 1}`
  const body = `: ready\n\nid: ${id}\ndata: ${JSON.stringify({ specversion: '1.0', id })}\n\n`
  return new Response(body, { headers: { ...HEADERS, 'Content-Type': 'text/event-stream' } })
}

const truncatedBody = () =>
  new ReadableStream({
    async pull(controller) {
      controller.enqueue('{"passport":')
      await new Promise(setImmediate)
      controller.error(new Error('On purpose.'))
    },
  })
