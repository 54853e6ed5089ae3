import { ServiceError } from './errors.ts'
import { foldName } from './text/fold-name.ts'

const LONGEST_KEYWORD = 200

/** The folded keyword; `undefined` if there is nothing to filter by. */
export function parseKeyword(text: string | null): string | undefined {
  if (text === null) return undefined
  const length = [...text].length
  if (length > LONGEST_KEYWORD) {
    throw new ServiceError(
      'invalid_request',
      `keyword must be at most ${LONGEST_KEYWORD} characters, got ${length}.`,
    )
  }
  return foldName(text) || undefined
}
