import { END_LETTER } from './text.ts'

/** How many names of a block contain the keyword. */
export function countNames(block: string, keyword: string): number {
  let count = 0
  for (let at = block.indexOf(keyword); at !== -1; ) {
    count++
    at = block.indexOf(keyword, block.indexOf(END_LETTER, at))
  }
  return count
}

/** Which names of a block contain the keyword, numbered from 0. */
export function findNames(block: string, keyword: string): number[] {
  const found: number[] = []
  let name = 0
  let end = block.indexOf(END_LETTER)
  for (let at = block.indexOf(keyword); at !== -1; at = block.indexOf(keyword, end)) {
    for (; end < at; end = block.indexOf(END_LETTER, end + 1)) name++
    found.push(name)
  }
  return found
}
