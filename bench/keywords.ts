import { foldName } from '../src/domain/name.ts'
import { inventPeople } from '../src/ingest/demo/people.ts'

const KEYWORDS = 4000
const LENGTHS = [3, 4, 5, 6]

/**
 * Mixed keywords of three and more characters: a whole name with its number (one match), a part of a word that many
 * names have, and a name with its words in another order (no match). The list is too long for the cache of results.
 */
export function mixedKeywords(passports: number): string[] {
  const names = inventPeople().map(({ profile }) => foldName(profile.displayName))
  const parts = [...new Set(names.flatMap(partsOf))].filter((part) => part.length >= 3)
  const nameOf = (id: number) => names[(id % 1000) - 1 < 0 ? 999 : (id % 1000) - 1] as string
  return Array.from({ length: KEYWORDS }, (_, at) => {
    // A stride of a prime number: neighbours in the list are far apart in the data.
    const id = 1 + ((at * 7919) % passports)
    const [first = '', second = 'nobody'] = nameOf(id).split(' ')
    return [`${nameOf(id)} ${id}`, parts[(at * 7919) % parts.length] as string, `${second} ${first} ${id}`]
  }).flat()
}

function partsOf(name: string): string[] {
  return name.split(' ').flatMap((word) => {
    const letters = [...word]
    return LENGTHS.flatMap((length) =>
      letters
        .slice(0, Math.max(0, letters.length - length + 1))
        .map((_, at) => letters.slice(at, at + length).join('')),
    )
  })
}
