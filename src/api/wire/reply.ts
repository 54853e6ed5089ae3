/** Bytes that are read when all else of a turn is done. */
export type LateBody = { length: number; read(into: Buffer, at: number): boolean }

/** Bytes of a body that are more than this are never changed once it is given: they need not be copied. */
export const LARGE_BODY = 4 * 1024 * 1024

/** What goes out. The wire adds the date, the length, and whether the connection ends. */
export type Reply = {
  /** The status line and the fields that are the same for many answers, each with its line end. */
  head: string
  /** The fields that are this answer's own. */
  lines: string
  body: string | Uint8Array | LateBody
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  414: 'URI Too Long',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

export function headOf(status: number, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([name, value]) => fieldLine(name, value))
  return `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n${lines.join('')}`
}

/** Everything that fits a field: one byte a letter, and no line end that would begin another field. */
export const FIT = /^[\t\x20-\x7e\x80-\xff]*$/

export function fieldLine(name: string, value: string): string {
  if (!FIT.test(value)) throw new Error(`The field ${name} cannot hold ${JSON.stringify(value)}.`)
  return `${name}: ${value}\r\n`
}
