import { readFileSync } from 'node:fs'
import { CommandError } from '../basics/errors.ts'
import { count } from '../basics/text/counts-and-sizes.ts'
import { quote } from '../basics/text/quote.ts'
import type { Removal } from '../store/write/write-records.ts'

/** A list has the ids of removed passports, and the digests of wallets that are skipped. */
export function describeRemovals(list: readonly Removal[]): string {
  const ids = list.filter((entry) => entry.length < 16).length
  return `The removals of ${count(ids, 'passport')} and ${count(list.length - ids, 'wallet')} are applied.\n`
}

export const toLines = (removals: readonly Removal[]) => [...removals, ''].join('\n')

export function readRemovalList(file: string): Removal[] {
  const lines: string[] = readFileSync(file, 'utf8').match(/.+/g) ?? []
  const wrong = lines.find((line) => !/^(\d{1,15}|[\da-f]{64})$/.test(line))
  if (wrong === undefined) return lines
  const accepted = 'the id of a passport, or the SHA-256 of a wallet in hexadecimal'
  throw new CommandError(`${file} has the line ${quote(wrong)}, but each line must be ${accepted}.`)
}
