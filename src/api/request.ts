import { ServiceError } from '../domain/errors.ts'
import type { Fields, Incoming } from './wire/incoming.ts'

const LONGEST_TARGET = 8 * 1024
const LARGEST_HEADERS = 16 * 1024

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** A method is whatever the caller wrote. */
export const nameMethod = (method: string) => (KNOWN_METHODS.has(method) ? method : 'other')

/** The scheme and host that were asked for; empty where the request has a bad `Host`. */
export function originOf(fields: Fields): string {
  const host = fields.get('host') ?? ''
  return /^[^\s/?#@\\]+$/.test(host) ? `http://${host}` : ''
}

export function splitTarget(whole: string): { path: string; query: string } {
  const hash = whole.indexOf('#')
  const target = hash === -1 ? whole : whole.slice(0, hash)
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

export function checkSize({ target, fieldsLength }: Incoming): void {
  if (target.length > LONGEST_TARGET) {
    throw new ServiceError(
      'uri_too_long',
      `The path and query may have at most ${LONGEST_TARGET} characters.`,
    )
  }
  if (fieldsLength > LARGEST_HEADERS) {
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
