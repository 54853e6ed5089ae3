import type { DataPoint } from './data-point.ts'
import type { Social } from './passport.ts'
import { CREDENTIAL_ACCOUNT } from './record/record.ts'

/** With the source. Longer names have no handle: an index bounds the size of its keys. */
export const LONGEST_HANDLE = 250

/** A handle in the form of the index: `source:name` in lower case, without the @ that people write before names. */
export function foldHandle(source: string, name: string): string | undefined {
  const [folded, rest] = [source.trim().toLowerCase(), name.trim().replace(/^@/, '').toLowerCase()]
  const handle = `${folded}:${rest}`
  const isUsable = folded !== '' && rest !== '' && !folded.includes(':')
  return isUsable && handle.length <= LONGEST_HANDLE && isStorable(handle) ? handle : undefined
}

/** PostgreSQL stores neither the NUL character nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** A name of ENS and similar services, such as `zoe.eth` or `zoe.base.eth`. */
const DOTTED_NAME = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.[a-z]{2,}$/u

/**
 * The handles of a passport: the names of its socials, and the accounts of its data points or the names that they show, such
 * as `ens:zoe.eth`. An account such as `fid:1042` is found by `farcaster:1042` too.
 */
export function handlesOf(
  socials: readonly Pick<Social, 'source' | 'name'>[],
  points: readonly Pick<DataPoint, 'type' | 'account' | 'display'>[],
): string[] {
  const handles = new Set<string | undefined>()
  for (const { source, name } of socials) handles.add(foldHandle(source, name))
  for (const { type, account, display } of points) {
    if (DOTTED_NAME.test(display)) handles.add(foldHandle(type, display))
    if (account === '' || account.startsWith(CREDENTIAL_ACCOUNT)) continue
    handles.add(foldHandle(type, account))
    const label = /^[a-z]+:/i.exec(account)?.[0]
    if (label !== undefined) handles.add(foldHandle(type, account.slice(label.length)))
  }
  return [...handles].filter((handle) => handle !== undefined).sort()
}
