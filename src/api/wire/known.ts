import { strip } from '../strip.ts'
import { FIT } from './reply.ts'

/** The bytes of a head after its request line, without the value of `If-None-Match`, which is another in each request. */
export type Known = {
  /** All of them, where no line or more than one has that name. */
  before: Buffer
  after: Buffer | undefined
}

const NAME = /\r\nif-none-match:/i
const NAME_LENGTH = '\r\nif-none-match:'.length
const CR = 13

/** From the line end of the request line to the empty line; what is not a valid head must not come here. */
export function remember(bytes: Buffer, isConditional: boolean): Known {
  const [start = '', rest, more] = isConditional ? bytes.toString('latin1').split(NAME) : []
  if (rest === undefined || more !== undefined) return { before: Buffer.from(bytes), after: undefined }
  const begin = start.length + NAME_LENGTH
  return {
    before: Buffer.from(bytes.subarray(0, begin)),
    after: Buffer.from(bytes.subarray(bytes.indexOf(CR, begin))),
  }
}

/**
 * Where a head ends that is the same from here on, and the value in it. The end of what is compared is an empty line:
 * nothing that goes on differently looks the same.
 */
export function recall(
  { before, after }: Known,
  input: Buffer,
  at: number,
): { end: number; value: string | undefined } | undefined {
  if (!startsWith(input, before, at)) return undefined
  const begin = at + before.length
  if (after === undefined) return { end: begin, value: undefined }
  const valueEnd = input.indexOf(CR, begin)
  if (valueEnd === -1 || !startsWith(input, after, valueEnd)) return undefined
  const value = input.toString('latin1', begin, valueEnd)
  return FIT.test(value) ? { end: valueEnd + after.length, value: strip(value, ' \t') } : undefined
}

function startsWith(input: Buffer, known: Buffer, at: number): boolean {
  return (
    at + known.length <= input.length && input.compare(known, 0, known.length, at, at + known.length) === 0
  )
}
