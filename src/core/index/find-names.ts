import { foldName } from '../basics/text/fold-name.ts'
import { editDistance } from '../basics/text/nearest-name.ts'
import { type ListQuery, toWords } from '../lists/list-request.ts'
import type { Store } from '../store/store.ts'
import type { Catalog } from './catalog.ts'

type Reader = { catalog: Pick<Catalog, 'list'>; store: Pick<Store, 'passports'> }

/** Only the passports with the highest scores are compared, because their names are read from the store. */
const MOST_COMPARED = 250

/** A text with more words is not corrected, because each word is compared with each part of each name. */
const MOST_WORDS = 6

/**
 * Finds the words of a name that the given words may be a misspelling of. It compares the first passports that match the filter
 * and whose names contain the first half of each word or, if none is similar, the last halves.
 */
export async function findSimilarName(
  { catalog, store }: Reader,
  words: readonly string[],
  { filter, sort }: Pick<ListQuery, 'filter' | 'sort'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const folded = words.map(foldName)
  const isCorrected = words.length <= MOST_WORDS && folded.some((word) => mostEdits(word) > 0)
  if (!isCorrected) return undefined
  const find = async (halfOf: (word: string) => string) => {
    const halves = folded.map((word) => (mostEdits(word) === 0 ? word : halfOf(word)))
    const keyword = toWords(halves.join(' '))
    const found = await catalog.list({ keyword, filter, sort, limit: MOST_COMPARED, signal }, false)
    const people = await store.passports.listByIds(found.ids)
    const names = people.map(({ profile }) => profile.displayName)
    return findNearest(names, folded, (part) => [part]) ?? findNearest(names, folded, beginningsOf)
  }
  const first = await find((word) => word.slice(0, Math.ceil(word.length / 2)))
  return first ?? find((word) => word.slice(word.length / 2))
}

/** Returns the words of the most similar name, in the form that is similar: the whole word, or a beginning of it. */
function findNearest(
  names: readonly string[],
  words: readonly string[],
  formsOf: (part: string, word: string) => string[],
): string | undefined {
  let nearest: { name: string; edits: number } | undefined
  const folded = new Map<string, string>()
  for (const name of names) {
    const own = splitName(name)
    const similar = words.map((word) => {
      const compare = (form: string) =>
        editDistance(word, folded.getOrInsertComputed(form, foldName), mostEdits(word))
      return own
        .flatMap((part) => formsOf(part, word).map((form) => ({ part, form, edits: compare(form) })))
        .reduce((one, other) => (other.edits < one.edits ? other : one))
    })
    const edits = similar.reduce((sum, each) => sum + each.edits, 0)
    if (edits >= (nearest?.edits ?? Number.POSITIVE_INFINITY)) continue
    if (similar.some((each, at) => each.edits > mostEdits(words[at] ?? ''))) continue
    const forms = own.flatMap((part) => similar.find((each) => each.part === part)?.form ?? [])
    nearest = { name: forms.join(' '), edits }
  }
  return nearest?.name
}

/** A part of a name, and its beginnings that are about as long as the word. Those of short words are similar by chance. */
const beginningsOf = (part: string, { length }: string): string[] => [
  part,
  ...(length < LEAST_LENGTH ? [] : [length, length + 1, length - 1].map((end) => part.slice(0, end))),
]

const LEAST_LENGTH = 5

/** Seven of ten characters must be the same. Long words are not corrected. */
const mostEdits = (word: string) => (word.length > 40 ? 0 : Math.floor(0.3 * word.length))

const splitName = (name: string): string[] => name.split(/[^\p{L}\p{M}\p{N}]+/u)
