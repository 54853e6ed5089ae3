import type { Database } from 'bun:sqlite'
import { notFound, ServiceError } from '../../domain/errors.ts'
import { foldName } from '../../domain/name.ts'
import { walletsOf } from '../../domain/passport.ts'
import { createNames } from './names.ts'

/** More merges than anyone makes; a circle of them must end too. */
export const LONGEST_CHAIN = 1000

type MergeRow = {
  merged_into: number | null
  display_name: string
  main_wallet: string
  verified_wallets: string
}

/** Takes passports out of the list: merged into another, or for good. The caller holds the transaction. */
export function createMerges(writer: Database) {
  const names = createNames(writer)
  const find = writer.query<MergeRow, [number]>(
    'select merged_into, display_name, main_wallet, verified_wallets from passports where id = ?',
  )
  const setSurvivor = writer.query('update passports set merged_into = ? where id = ?')
  const setWallets = writer.query('update passports set main_wallet = ?, verified_wallets = ? where id = ?')
  const setOwner = writer.query('update wallets set passport_id = ? where address = ? and passport_id = ?')
  const listMerged = writer.query<{ id: number }, [number]>('select id from passports where merged_into = ?')
  const isRemoved = writer.query('select 1 from removals where passport_id = ?')
  const noteRemoval = writer.query('insert or ignore into removals (passport_id, removed_at) values (?, ?)')
  const deletions = [
    'delete from wallets where passport_id = ?',
    'delete from credentials where passport_id = ?',
    'delete from data_points where passport_id = ?',
    'delete from passports where id = ?',
  ].map((sql) => writer.query(sql))

  /** Where the merges of this id end; the id itself where there is no such passport. */
  function survivorOf(id: number): number {
    let survivor = id
    for (let hops = 0; hops < LONGEST_CHAIN; hops++) {
      const next = find.get(survivor)?.merged_into ?? null
      if (next === null) return survivor
      survivor = next
    }
    return survivor
  }

  /** Whether the merges that begin at `id` lead to, or through, `target`. */
  function leadsTo(id: number, target: number): boolean {
    let next: number | null = id
    for (let hops = 0; next !== null && hops < LONGEST_CHAIN; hops++) {
      if (next === target) return true
      next = find.get(next)?.merged_into ?? null
    }
    return next !== null
  }

  /** Tells whether anything changed. */
  function remove(id: number, now: number): boolean {
    if (isRemoved.get(id) !== null) return false
    noteRemoval.run(id, now)
    for (const merged of listMerged.all(id)) remove(merged.id, now)
    names.remove(id)
    for (const deletion of deletions) deletion.run(id)
    return true
  }

  /** Wallets that the survivor took over meanwhile are its own no longer. */
  function takeBackWallets(id: number, { main_wallet, verified_wallets }: MergeRow): void {
    const own = walletsOf({ mainWallet: main_wallet, verifiedWallets: JSON.parse(verified_wallets) })
    const survivor = survivorOf(id)
    const row = find.get(survivor)
    if (row === null) return
    const left = (JSON.parse(row.verified_wallets) as string[]).filter((wallet) => !own.includes(wallet))
    const main = own.includes(row.main_wallet) ? (left[0] ?? '') : row.main_wallet
    setWallets.run(main, JSON.stringify(left), survivor)
    for (const wallet of own) setOwner.run(id, wallet, survivor)
  }

  return {
    survivorOf,
    leadsTo,
    remove,
    exists: (id: number) => find.get(id) !== null,
    merge(from: number, into: number): void {
      if (from === into) throw new ServiceError('invalid_request', 'A passport cannot be merged into itself.')
      const [loser, survivor] = [find.get(from), find.get(into)]
      if (loser === null || survivor === null) throw notFound()
      const merged = loser.merged_into !== null ? from : survivor.merged_into !== null ? into : undefined
      if (merged !== undefined) {
        const target = (merged === from ? loser : survivor).merged_into
        throw new ServiceError('invalid_request', `Passport ${merged} is merged into ${target} already.`)
      }
      setSurvivor.run(into, from)
      names.remove(from)
    },
    unmerge(id: number): void {
      const row = find.get(id)
      if (row === null) throw notFound()
      if (row.merged_into === null) {
        throw new ServiceError('invalid_request', `Passport ${id} is not merged into another.`)
      }
      takeBackWallets(id, row)
      setSurvivor.run(null, id)
      names.insert(id, foldName(row.display_name))
    },
  }
}
