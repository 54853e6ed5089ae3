/** An answer as it came over the wire. */
export type Answer = {
  status: number
  fields: ReadonlyMap<string, string>
  body: Buffer
  /** Whether it says that the connection ends. */
  closes: boolean
  /** Where the next one begins. */
  end: number
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) ([\x20-\x7e]*)$/
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
/** Everything else stands there once. */
const LISTS = new Set(['vary', 'link', 'ratelimit-policy', 'ratelimit'])

/** The answer that begins there, or `undefined` where not all of it is there. Throws where it is not as RFC 9112 wants it. */
export function readAnswer(bytes: Buffer, begin: number, method: string): Answer | undefined {
  const mark = bytes.indexOf('\r\n\r\n', begin, 'latin1')
  if (mark === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', begin, mark).split('\r\n')
  const status = Number(STATUS_LINE.exec(first)?.[1])
  if (!status) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 200))}`)
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [name, value] = seen.get(line) ?? readField(line)
    if (fields.has(name) && !LISTS.has(name)) throw new Error(`${name} is there twice`)
    fields.set(name, value)
  }
  const isBodiless = status === 204 || status === 304
  const length = fields.get('content-length')
  if (isBodiless ? length !== undefined : !/^(?:0|[1-9]\d*)$/.test(length ?? ''))
    throw new Error(`Content-Length of ${status} is ${length}`)
  if (fields.has('transfer-encoding')) throw new Error('Transfer-Encoding')
  if (!DATE.test(fields.get('date') ?? '')) throw new Error(`Date is ${fields.get('date')}`)
  if (!/^[\w.-]{1,64}$/.test(fields.get('x-request-id') ?? '')) throw new Error('no X-Request-Id')
  if (!/^(?:close|keep-alive)$/.test(fields.get('connection') ?? 'close')) throw new Error('odd Connection')
  const start = mark + 4
  const end = start + (method === 'HEAD' ? 0 : Number(length ?? 0))
  if (end > bytes.length) return undefined
  const closes = fields.get('connection') === 'close'
  const answer = { status, fields, body: bytes.subarray(start, end), closes, end }
  if (method !== 'HEAD') checkError(answer)
  return answer
}

/** Most lines come in every answer: to read them once is half of the time. */
const seen = new Map<string, [name: string, value: string]>()
const MOST_SEEN = 1000

function readField(line: string): [name: string, value: string] {
  const [, name, value] = FIELD.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`no field: ${JSON.stringify(line)}`)
  const field: [string, string] = [name.toLowerCase(), value]
  if (seen.size < MOST_SEEN && !/^(?:x-request-id|date)$/.test(field[0])) seen.set(line, field)
  return field
}

/** Errors are JSON that names the request, except on pages. A 5xx is a loss, unless the service says that its data is away. */
function checkError({ status, fields, body }: Answer): void {
  if (status < 400) return
  if (!fields.get('content-type')?.startsWith('application/json')) {
    if (fields.get('content-type') !== 'text/html; charset=utf-8' || status >= 500)
      throw new Error(`${status} is no JSON`)
    return
  }
  const { error, code, request_id } = JSON.parse(body.toString())
  if (typeof error !== 'string' || typeof code !== 'string' || request_id !== fields.get('x-request-id'))
    throw new Error(`${status} says ${body}`)
  if (status >= 500 && code !== 'unavailable') throw new Error(`${status}: ${body}`)
}
