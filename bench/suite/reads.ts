import { eachFrom, inTurn, type Load, type Request } from '../load.ts'
import type { Keywords } from './keywords.ts'

/** The reads that are measured on every side, by the name that `--only` knows them by. */
export const READS = {
  'by-id': 'by id',
  'by-wallet': 'by wallet',
  'not-modified': '304',
  credentials: 'credentials',
  'first-page': 'first page',
  'middle-page': 'middle page',
  'last-page': 'last page',
  'any-page': 'random page',
  rare: 'keyword, rare',
  common: 'keyword, common',
  'two-characters': 'keyword, two characters',
  'no-match': 'keyword, no match',
} as const

export type Read = keyof typeof READS

export const KEYWORD_READS = ['rare', 'common', 'two-characters', 'no-match'] as const

const PAGE = 25

type Asked = {
  passports: number
  headers: Readonly<Record<string, string>>
  keywords: Keywords
  /** Paths with the tags of their answers. */
  tagged: readonly Request[]
}

export type Loads = Record<Read | 'mixed', Load>

/** What is asked for by each read, random over all where there is a choice. */
export function loadsOf({ passports, headers, keywords, tagged }: Asked): Loads {
  const id = `math.random(1, ${passports})`
  const last = Math.ceil(passports / PAGE)
  const page = (number: string | number) => eachFrom(`'/api/v1/passports?page=' .. ${number}`, headers)
  const search = (words: readonly string[]) => inTurn(words.map(toSearch), headers)
  return {
    'by-id': byId(passports, headers),
    // The main wallet of each passport of the data sets tells its id: see many-people.ts.
    'by-wallet': eachFrom(`string.format('/api/v1/passports/0xde30%034x00', ${id})`, headers),
    'not-modified': inTurn(tagged, headers),
    credentials: eachFrom(`'/api/v1/passport_credentials?passport_id=' .. ${id}`, headers),
    'first-page': page(1),
    'middle-page': page(Math.ceil(last / 2)),
    'last-page': page(last),
    'any-page': page(`math.random(1, ${last})`),
    rare: search(keywords.rare),
    common: search(keywords.common),
    'two-characters': search(keywords['two-characters']),
    'no-match': search(keywords['no-match']),
    mixed: search(mix(keywords)),
  }
}

/** Any passport of all. */
export const byId = (passports: number, headers: Asked['headers']) =>
  eachFrom(`'/api/v1/passports/' .. math.random(1, ${passports})`, headers)

/** One of each kind after the other. */
function mix(keywords: Keywords): string[] {
  const longest = Math.max(...KEYWORD_READS.map((kind) => keywords[kind].length))
  return Array.from({ length: longest }, (_, at) =>
    KEYWORD_READS.map((kind) => keywords[kind][at % keywords[kind].length] as string),
  ).flat()
}

const toSearch = (word: string): Request => ({
  path: `/api/v1/passports?keyword=${encodeURIComponent(word)}`,
})
