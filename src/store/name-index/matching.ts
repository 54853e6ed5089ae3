import { END } from './text.ts'

const NONE: readonly number[] = []

/** How many names of a block contain the keyword. */
export function countNames(block: Buffer, keyword: Buffer): number {
  let count = 0
  for (let at = block.indexOf(keyword); at !== -1; at = block.indexOf(keyword, endOf(block, at))) count++
  return count
}

/** Which names of a block contain the keyword, numbered from 0. Nothing is made for the many that have none. */
export function findNames(block: Buffer, keyword: Buffer): readonly number[] {
  let at = block.indexOf(keyword)
  if (at === -1) return NONE
  const found: number[] = []
  let name = 0
  let end = endOf(block, 0)
  for (; at !== -1; at = block.indexOf(keyword, end)) {
    for (; end < at; end = endOf(block, end + 1)) name++
    found.push(name)
  }
  return found
}

/** Where the name ends that has this byte: it is too near to be worth a search. */
function endOf(block: Buffer, byte: number): number {
  const { length } = block
  let at = byte
  while (at < length && block[at] !== END) at++
  return at
}
