import { ServiceError } from '../errors.ts'
import { foldName } from '../text/fold-name.ts'

const LONGEST_KEYWORD = 200

/** The folded keyword of a parameter; `undefined` if there is nothing to filter by. */
export function parseKeyword(text: string | null | undefined, name = 'keyword'): string | undefined {
  if (text === null || text === undefined) return undefined
  const length = [...text].length
  if (length > LONGEST_KEYWORD) {
    const detail = `${name} must be at most ${LONGEST_KEYWORD} characters, got ${length}.`
    throw new ServiceError('invalid_request', detail, { invalid: [{ pointer: `?${name}`, detail }] })
  }
  return foldName(text) || undefined
}

/** Folded text has no line feed: one separates words that may be in any order. */
const SEPARATOR = '\n'

export const toWords = (keyword: string): string => [...new Set(keyword.split(' '))].join(SEPARATOR)

/** The texts that a name must contain, the longest first. A keyword of the APIs is one text. */
export const wordsOf = (keyword: string): string[] =>
  keyword.split(SEPARATOR).sort((one, other) => other.length - one.length)
