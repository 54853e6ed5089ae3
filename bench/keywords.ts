import { foldName } from '../src/domain/text/fold-name.ts'
import { nameOf } from './data-set.ts'

const KEYWORDS = 4000
const NAMES = 1000
const LENGTHS = [3, 4, 5, 6]

/**
 * Mixed keywords of three and more characters: a whole name with its number (one match), a part of a word that many
 * names have, and a name with its words in another order (no match). With a million passports, the list is too long
 * for the cache of results.
 */
export function mixedKeywords(passports: number): string[] {
  const names = Array.from({ length: NAMES }, (_, id) => foldName(nameOf(id)))
  const parts = [...new Set(names.flatMap(partsOf))]
  return Array.from({ length: KEYWORDS }, (_, at) => {
    // A stride of a prime number: neighbours in the list are far apart in the data.
    const id = 1 + ((at * 7919) % passports)
    const [first = '', second = 'nobody'] = foldName(nameOf(id)).split(' ')
    const part = parts[(at * 7919) % parts.length] as string
    return [foldName(`${nameOf(id)} ${id}`), part, `${second} ${first} ${id}`]
  }).flat()
}

function partsOf(name: string): string[] {
  return name.split(' ').flatMap((word) => {
    const letters = [...word]
    return LENGTHS.flatMap((length) =>
      letters.slice(length - 1).map((_, at) => letters.slice(at, at + length).join('')),
    )
  })
}
