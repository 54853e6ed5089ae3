/**
 * The words in our statements that the engines spell differently:
 * - `LIST($1)`: the elements of a parameter that is a list, as the rows `list (key, value)`. Keys begin at 0. Cast the
 *   values that are numbers: on PostgreSQL they are texts.
 * - `LOCK` locks the selected rows, and waits for those that are locked. `SKIP` skips those instead.
 * - `NOW`: the clock of the database, in milliseconds.
 * - `COLUMNS`: the columns of all tables, as rows (`table`, `column`, `key`). `key` is the position in the primary key,
 *   or 0.
 * - Those of `schema.sql`.
 */
const WORDS = ['LOCK', 'SKIP', 'NOW', 'COLUMNS', 'INT', 'REAL', 'KEY', 'ROWS', 'PAIRS'] as const

type Words = Record<(typeof WORDS)[number], string> & { LIST: (parameter: string) => string }

const WORD = new RegExp(`LIST\\((\\$\\d+)\\)|\\b(?:${WORDS.join('|')})\\b`, 'g')

/** Returns a function that replaces the words in a statement by the SQL of an engine. */
export function createTranslation({ LIST, ...words }: Words) {
  const known = new Map<string, string>()
  const translate = (text: string) =>
    text.replace(WORD, (word, parameter?: string) =>
      parameter ? LIST(parameter) : words[word as keyof typeof words],
    )
  return (text: string): string => known.getOrInsertComputed(text, translate)
}

export const selectIds = (parameter: string) => `select cast(value as bigint) from LIST(${parameter})`

export const selectTexts = (parameter: string) => `select value from LIST(${parameter})`

/** True. Without it, the planner of PostgreSQL expects many rows of a recursion or limit, and scans a table. */
export const isOneOfFew = (id: string) => `${id} + 0 = ${id}`
