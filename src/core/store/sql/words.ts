/**
 * The words in our statements that the engines spell differently:
 * - `LIST($1)`: the elements of a parameter that is a list, as the rows `list (key, value)`. Keys begin at 0. Cast the
 *   values that are numbers: on PostgreSQL they are texts.
 * - `LOCK` locks the selected rows, and waits for those that are locked. `SKIP` skips those instead.
 * - `NOW`: the clock of the database, in milliseconds.
 * - `COLUMNS`: the columns of all tables, as rows (`table`, `column`, `key`). `key` is the position in the primary key,
 *   or 0.
 */
export type Words = Record<'LOCK' | 'SKIP' | 'NOW' | 'COLUMNS', string> & {
  LIST: (parameter: string) => string
}

/** Returns a function that replaces the words in a statement by the SQL of an engine. */
export function createTranslation({ LIST, ...words }: Words) {
  const known = new Map<string, string>()
  const translate = (text: string) =>
    text.replace(/LIST\((\$\d+)\)|\b(?:LOCK|SKIP|NOW|COLUMNS)\b/g, (word, parameter?: string) =>
      parameter ? LIST(parameter) : words[word as keyof typeof words],
    )
  return (text: string): string => known.getOrInsertComputed(text, translate)
}

/** Selects the ids in a parameter that is a list. */
export const selectIds = (parameter: string) => `select cast(value as bigint) from LIST(${parameter})`

/** Selects the texts in a parameter that is a list. */
export const selectTexts = (parameter: string) => `select value from LIST(${parameter})`

/**
 * True. Without it, the planner of PostgreSQL expects many rows of a recursion or limit, and scans a table or all of an
 * index.
 */
export const isOneOfFew = (id: string) => `${id} + 0 = ${id}`
