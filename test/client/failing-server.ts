const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}
const GOOD = { passport: { passport_id: 1 } }
const LIMITED = { error: 'On purpose.', code: 'rate_limited', request_id: 'r' }

/** Failures that runtimes report in different ways, and a response with a header that a browser hides unless it is exposed. */
export function serveFaults() {
  const limited = new Set<string>()
  let runs = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // In development mode it would print the errors.
    development: false,
    fetch({ url, method, headers: sent }) {
      if (method === 'OPTIONS') return new Response(null, { headers: HEADERS })
      const { pathname, searchParams } = new URL(url)
      const [, run = '', way] = pathname.split('/')
      if (way === 'events') return sendEvents(sent.get('Accept'), searchParams.get('after'))
      if (way === 'silent') return new Promise<Response>(() => undefined)
      if (way === 'cut') return new Response(truncatedBody(), { headers: HEADERS })
      const headers = (more: Record<string, string>) => ({ headers: { ...HEADERS, ...more } })
      if (way === 'redirect') return new Response('', { status: 302, ...headers({ Location: '/elsewhere' }) })
      // The first request of each run is rate-limited.
      if (limited.has(run)) return Response.json(GOOD, headers({}))
      limited.add(run)
      return Response.json(LIMITED, { status: 429, ...headers({ 'Retry-After': '0' }) })
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
