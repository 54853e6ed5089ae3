import { invalidValue, notFound } from '../../basics/errors.ts'
import { walletsOf } from '../../passport/passport.ts'
import { LONGEST_CHAIN, type StoredRow } from '../rows/passport.ts'
import type { WriteModel } from './write-model.ts'

/** Merges, unmerges, hides and removes passports. Runs inside the transaction of the write model. */
export function createMerges(model: WriteModel) {
  const { credentials, passports, wallets, removals, barred, showCredentials } = model

  /** The id, the id it was merged into, and so on. The last one is the survivor. */
  function chainOf(id: number): number[] {
    const chain = [id]
    let next = passports.find(id)?.merged_into
    while (typeof next === 'number' && chain.length <= LONGEST_CHAIN) {
      chain.push(next)
      next = passports.find(next)?.merged_into
    }
    return chain
  }

  const survivorOf = (id: number) => chainOf(id).at(-1) as number

  /** Whether the chain of merges from `id` contains `target`, or is so long that it may be a cycle. */
  function leadsTo(id: number, target: number): boolean {
    const chain = chainOf(id)
    return chain.length > LONGEST_CHAIN || chain.includes(target)
  }

  /**
   * Returns the ids of the removed passports. Returns none if the passport was removed before. `isErasure`: later records with
   * the same wallets are skipped, too. Otherwise another passport may take them over.
   */
  function remove(id: number, now: number, isErasure = false): number[] {
    if (removals.get(id) !== undefined) return []
    removals.set(id, now)
    const merged = passports.listMerged(id).flatMap((each) => remove(each, now, isErasure))
    if (isErasure) for (const address of wallets.list(id)) barred.set(address, now)
    passports.remove(id)
    return [id, ...merged]
  }

  const takeBackPoints = (id: number) =>
    moveBackPoints(model, id, chainOf(id).slice(1), (writtenFor) => leadsTo(writtenFor, id))

  return {
    survivorOf,
    leadsTo,
    takeBackPoints,
    remove,
    hide: (id: number, hiddenAt: number | null) => hide(model, id, hiddenAt),
    merge(from: number, into: number): undefined {
      if (from === into) throw invalidValue('#/into', 'A passport cannot be merged into itself.')
      const [loser, survivor] = [passports.find(from), passports.find(into)]
      if (loser === undefined || survivor === undefined) throw notFound()
      const merged = [loser, survivor].find(({ merged_into }) => merged_into !== null)
      if (merged) {
        const sentence = `Passport ${merged.id} is merged into ${merged.merged_into} already.`
        throw invalidValue(merged === loser ? '{id}' : '#/into', sentence)
      }
      passports.put({ ...loser, merged_into: into })
    },
    unmerge(id: number): undefined {
      const row = passports.find(id)
      if (row === undefined) throw notFound()
      if (row.merged_into === null) {
        throw invalidValue('{id}', `Passport ${id} is not merged into another.`)
      }
      takeBackWallets(model, row, survivorOf(id))
      passports.put({ ...row, merged_into: null, ...(takeBackPoints(id) && { stale: 1 }) })
      showCredentials(id, credentials.list(id))
    },
  }
}

/** Gives a passport back the wallets that its survivor took over. */
function takeBackWallets({ passports, wallets }: WriteModel, merged: StoredRow, survivor: number): void {
  const { id, main_wallet, verified_wallets } = merged
  const own = walletsOf({ mainWallet: main_wallet, verifiedWallets: JSON.parse(verified_wallets) })
  const row = passports.find(survivor)
  if (row === undefined) return
  const left = (JSON.parse(row.verified_wallets) as string[]).filter((wallet) => !own.includes(wallet))
  const main = own.includes(row.main_wallet) ? (left[0] ?? '') : row.main_wallet
  passports.put({ ...row, main_wallet: main, verified_wallets: JSON.stringify(left) })
  for (const wallet of own) if (wallets.get(wallet) === survivor) wallets.set(wallet, id)
}

/** Gives a passport back the data points that its survivors got for it. Returns whether there were any. */
function moveBackPoints(
  { passports, dataPoints }: WriteModel,
  id: number,
  survivors: readonly number[],
  isOwn: (writtenFor: number) => boolean,
): boolean {
  let isChanged = false
  for (const row of survivors.flatMap((survivor) => passports.find(survivor) ?? [])) {
    const { given, kept = [] } = Object.groupBy(dataPoints.list(row.id), ({ writtenFor }) =>
      writtenFor !== undefined && isOwn(writtenFor) ? 'given' : 'kept',
    )
    if (given === undefined) continue
    const own = given.map((point) => ({
      ...point,
      ...(point.writtenFor === id && { writtenFor: undefined }),
    }))
    // An unknown time stays unknown.
    dataPoints.replace(id, [...dataPoints.list(id), ...own], 0)
    dataPoints.replace(row.id, kept, 0)
    passports.put({ ...row, stale: 1 })
    isChanged = true
  }
  return isChanged
}

/** Hides a passport and those merged into it, or shows them again. Returns the ids that changed. */
function hide(model: WriteModel, id: number, hiddenAt: number | null): number[] {
  const { credentials, passports, showCredentials } = model
  const row = passports.find(id)
  if (row === undefined) throw notFound()
  const isChanged = (row.hidden_at === null) !== (hiddenAt === null)
  if (isChanged) passports.put({ ...row, hidden_at: hiddenAt })
  if (isChanged && hiddenAt === null) showCredentials(id, credentials.list(id))
  const merged = passports.listMerged(id).flatMap((each) => hide(model, each, hiddenAt))
  return isChanged ? [id, ...merged] : merged
}
