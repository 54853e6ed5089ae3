import { Database } from 'bun:sqlite'
import { foldName } from '../../src/domain/name.ts'

/** Folded keywords of each kind. Each list is longer than what a server remembers of searches. */
export type Keywords = Record<'rare' | 'common' | 'two-characters' | 'no-match', string[]>

const RARE = 4000
const FREQUENT = 256
/** The names of the data sets are those of so many people over and over, with a number of their own. */
const PEOPLE = 1000

/** Takes keywords from the names of a data set. */
export function keywordsOf(path: string, passports: number): Keywords {
  using database = new Database(path, { readonly: true })
  const find = database.query<{ display_name: string }, [number]>(
    'select display_name from passports where id = ?',
  )
  const nameOf = (id: number) => foldName(find.get(id)?.display_name ?? '')
  const names = Array.from({ length: Math.min(PEOPLE, passports) }, (_, at) => nameOf(at + 1))
  const step = passports / Math.min(RARE, passports)
  // An odd stride through the ids: neighbours in the list are no neighbours in the data.
  const rare = Array.from({ length: Math.min(RARE, passports) }, (_, at) =>
    nameOf(1 + Math.floor(((at * 1597) % Math.min(RARE, passports)) * step)),
  )
  return {
    rare,
    common: frequentParts(names, [3, 4, 5, 6]),
    'two-characters': frequentParts(names, [2]),
    'no-match': unknownNames(names),
  }
}

/** The parts of words that most names have, by their number of characters. */
function frequentParts(names: readonly string[], lengths: readonly number[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) {
    for (const part of new Set(partsOf(name, lengths))) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  const parts = [...counts].sort((one, other) => other[1] - one[1]).map(([part]) => part)
  return parts.slice(0, FREQUENT)
}

function* partsOf(name: string, lengths: readonly number[]): Generator<string> {
  for (const word of name.split(' ')) {
    const letters = [...word]
    for (const length of lengths) {
      for (let at = 0; at + length <= letters.length; at++) yield letters.slice(at, at + length).join('')
    }
  }
}

/** Made of parts that many names have, in an order that none has: to leave them out at once is not enough. */
function unknownNames(names: readonly string[]): string[] {
  const all = names.join('\n')
  const swapped = names.map((name) => {
    const [first = '', second = ''] = name.split(' ')
    return `${second} ${first}`
  })
  return [...new Set(swapped)].filter((name) => name.length > 4 && !all.includes(name))
}
