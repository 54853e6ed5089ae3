import { ServiceError } from '../domain/errors.ts'

const LONGEST_TARGET = 8 * 1024
const LARGEST_HEADERS = 16 * 1024

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** A method is whatever the caller wrote. */
export const nameMethod = (method: string) => (KNOWN_METHODS.has(method) ? method : 'other')

/** Empty where the request has a bad `Host`. */
export const originOf = (url: string): string => /^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? ''

/** Where the request has a bad `Host`, its address is the path alone. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const [target = ''] = url.slice(start).split('#', 1)
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

export function checkSize(request: Request, path: string, query: string): void {
  if (path.length + query.length > LONGEST_TARGET) {
    throw new ServiceError(
      'uri_too_long',
      `The path and query may have at most ${LONGEST_TARGET} characters.`,
    )
  }
  let size = 0
  for (const [name, value] of request.headers) size += name.length + value.length
  if (size > LARGEST_HEADERS) {
    throw new ServiceError('headers_too_large', `The headers may have at most ${LARGEST_HEADERS} characters.`)
  }
}

export function checkMethod(method: string): void {
  if (method === 'GET' || method === 'HEAD') return
  throw new ServiceError(
    'method_not_allowed',
    `${method} is not possible here: this API is read-only, use GET.`,
  )
}
