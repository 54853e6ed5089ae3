import { foldName } from '../../src/core/basics/text/fold-name.ts'
import { nameOf } from '../data-sets/data-set.ts'

const KEYWORDS = 4000
const NAMES = 1000
const LENGTHS = [3, 4, 5, 6]

/**
 * Keywords of three or more characters. Three kinds alternate: a whole name with its number (one match), a part of a
 * word (many matches), and a name with swapped words (no match). The list is longer than the cache of search results.
 */
export function mixedKeywords(passports: number): string[] {
  const names = Array.from({ length: NAMES }, (_, id) => foldName(nameOf(id)))
  const parts = [...new Set(names.flatMap(partsOf))]
  return Array.from({ length: KEYWORDS }, (_, at) => {
    // The stride is a prime number, so that successive keywords find distant passports.
    const id = 1 + ((at * 7919) % passports)
    const [first = '', second = 'nobody'] = foldName(nameOf(id)).split(' ')
    const part = parts[(at * 7919) % parts.length] as string
    return [foldName(`${nameOf(id)} ${id}`), part, `${second} ${first} ${id}`]
  }).flat()
}

function partsOf(name: string): string[] {
  return name.split(' ').flatMap((word) => {
    const characters = [...word]
    return LENGTHS.flatMap((length) =>
      characters.slice(length - 1).map((_, at) => characters.slice(at, at + length).join('')),
    )
  })
}
