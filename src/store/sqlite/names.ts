import type { Database } from 'bun:sqlite'

const GRAM = 3

/** Grams of a keyword that are looked for; more would leave few names less. */
const MOST_GRAMS = 6

/** Where Unicode's private-use area begins. */
const PRIVATE = 0xe000

/** The index that finds passports by any part of their folded name. */
export function createNames(writer: Database) {
  const insert = writer.query('insert into names (rowid, grams) values (?, ?)')
  const remove = writer.query('delete from names where rowid = ?')

  return {
    /** For an id that is not in it. */
    insert(id: number, foldedName: string): void {
      insert.run(id, grams(foldedName, 0).join(' '))
    },
    remove(id: number): void {
      remove.run(id)
    },
  }
}

/**
 * The full-text query that matches names containing the folded keyword. A keyword shorter than a gram is
 * the beginning of one. For a longer one some of its grams are looked for, wherever they stand, and `isExact` is false: the names
 * that match are to be looked at.
 *
 * Not the phrase of its grams: in a name that repeats itself each is in a thousand places, all of which the index would go
 * through in one step.
 */
export function matchName(keyword: string): { query: string; isExact: boolean } {
  const letters = [...keyword].map(toToken)
  if (letters.length < GRAM) return { query: `"${letters.join('')}" *`, isExact: true }
  const all = [...new Set(grams(keyword, GRAM - 1))]
  const some = all.filter((_, at) => at % Math.ceil(all.length / MOST_GRAMS) === 0)
  return { query: some.map((gram) => `"${gram}"`).join(' AND '), isExact: letters.length === GRAM }
}

/** The grams that begin at each letter but the last `omit`; those at the end of a name are shorter. */
function grams(text: string, omit: number): string[] {
  const letters = [...text].map(toToken)
  return letters.slice(0, letters.length - omit).map((_, at) => letters.slice(at, at + GRAM).join(''))
}

/** The tokenizer splits at ASCII punctuation and blanks: here they become letters, of the private-use area. */
function toToken(letter: string): string {
  const code = letter.charCodeAt(0)
  const isPlain = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
  if (isPlain || (code > 0x7f && (code < PRIVATE || code > PRIVATE + 0x7f))) return letter
  // A letter of that area itself must not be taken for one of these.
  return code > 0x7f ? '\ufffd' : String.fromCharCode(PRIVATE + code)
}
