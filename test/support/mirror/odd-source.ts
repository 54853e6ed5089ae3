/** A V1 source that is not passportd, and may respond in unusual ways. */
export type OddSource = {
  /** Returns the body of a list page, or the status of an error. */
  list: (page: number) => unknown
  passport?: (id: number) => unknown
  credentials?: (id: number) => unknown
}

export function serveOdd({
  list,
  passport = plain,
  credentials = () => ({ passport_credentials: [] }),
}: OddSource) {
  const paths: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const url = new URL(request.url)
      paths.push(url.pathname + url.search)
      const id = Number(url.searchParams.get('passport_id') ?? url.pathname.split('/').at(-1))
      const body = url.pathname.endsWith('/passports')
        ? list(Number(url.searchParams.get('page')))
        : url.pathname.endsWith('/passport_credentials')
          ? credentials(id)
          : passport(id)
      if (typeof body === 'string') return new Response(body)
      return typeof body === 'number' ? new Response('', { status: body }) : Response.json(body)
    },
  })
  return { paths, url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A response with only the id. */
export const plain = (id: number) => ({ passport: { passport_id: id } })
