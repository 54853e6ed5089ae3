import { invalidValue, notFound } from '../../basics/errors.ts'
import { walletsOf } from '../../passport/passport.ts'
import { LONGEST_CHAIN, type StoredRow } from '../rows/passport.ts'
import {
  chainOf,
  listDataPoints,
  listMerged,
  listWallets,
  putPassport,
  removePassport,
  replaceDataPoints,
  survivorOf,
  type WriteModel,
} from './write-model.ts'

/** Whether the chain of merges from `id` contains `target`, or is so long that it may be a cycle. */
export function leadsTo({ passports }: WriteModel, id: number, target: number): boolean {
  const chain = chainOf(id, passports)
  return chain.length > LONGEST_CHAIN || chain.includes(target)
}

/** Returns the ids of the removed passports. `isErasure`: later records with the same wallets are skipped, too. */
export function remove(model: WriteModel, id: number, now: number, isErasure = false): number[] {
  const { removals, barred } = model
  if (removals.has(id)) return []
  removals.set(id, now)
  const merged = listMerged(model, id).flatMap((other) => remove(model, other, now, isErasure))
  if (isErasure) for (const address of listWallets(model, id)) barred.set(address, now)
  removePassport(model, id)
  return [id, ...merged]
}

export function merge(model: WriteModel, from: number, into: number): undefined {
  if (from === into) throw invalidValue('#/into', 'A passport cannot be merged into itself.')
  const [loser, survivor] = [model.passports.get(from), model.passports.get(into)]
  if (loser === undefined || survivor === undefined) throw notFound()
  for (const [row, pointer] of [[loser, '{id}'] as const, [survivor, '#/into'] as const])
    if (row.merged_into !== null)
      throw invalidValue(pointer, `Passport ${row.id} is merged into ${row.merged_into} already.`)
  putPassport(model, { ...loser, merged_into: into })
}

export function unmerge(model: WriteModel, id: number): undefined {
  const row = model.passports.get(id)
  if (row === undefined) throw notFound()
  if (row.merged_into === null) throw invalidValue('{id}', `Passport ${id} is not merged into another.`)
  takeBackWallets(model, row)
  putPassport(model, { ...row, merged_into: null, ...(takeBackPoints(model, id) && { stale: 1 }) })
}

/** Gives a passport back the wallets that its survivor took over. */
function takeBackWallets(model: WriteModel, { id, main_wallet, verified_wallets }: StoredRow): void {
  const { passports, wallets } = model
  const survivor = survivorOf(id, passports)
  const own = walletsOf({ mainWallet: main_wallet, verifiedWallets: JSON.parse(verified_wallets) })
  const row = passports.get(survivor)
  if (row === undefined) return
  const left = (JSON.parse(row.verified_wallets) as string[]).filter((wallet) => !own.includes(wallet))
  const main = own.includes(row.main_wallet) ? (left[0] ?? '') : row.main_wallet
  putPassport(model, { ...row, main_wallet: main, verified_wallets: JSON.stringify(left) })
  for (const wallet of own) if (wallets.get(wallet) === survivor) wallets.set(wallet, id)
}

/** Gives a passport back the data points that its survivors got for it. Returns whether there were any. */
export function takeBackPoints(model: WriteModel, id: number): boolean {
  let isChanged = false
  for (const survivor of chainOf(id, model.passports).slice(1)) {
    const row = model.passports.get(survivor)
    const { moved, kept = [] } = Object.groupBy(listDataPoints(model, survivor), ({ writtenFor }) =>
      writtenFor !== undefined && leadsTo(model, writtenFor, id) ? 'moved' : 'kept',
    )
    if (!row || !moved) continue
    const own = moved.map((point) => (point.writtenFor === id ? { ...point, writtenFor: undefined } : point))
    // An unknown time stays unknown.
    replaceDataPoints(model, id, [...listDataPoints(model, id), ...own], 0)
    replaceDataPoints(model, survivor, kept, 0)
    putPassport(model, { ...row, stale: 1 })
    isChanged = true
  }
  return isChanged
}

/** Hides a passport and those merged into it, or shows them again. Returns the ids that changed. */
export function hide(model: WriteModel, id: number, hiddenAt: number | null): number[] {
  const row = model.passports.get(id)
  if (row === undefined) throw notFound()
  const isChanged = (row.hidden_at === null) !== (hiddenAt === null)
  if (isChanged) putPassport(model, { ...row, hidden_at: hiddenAt })
  const merged = listMerged(model, id).flatMap((other) => hide(model, other, hiddenAt))
  return isChanged ? [id, ...merged] : merged
}
