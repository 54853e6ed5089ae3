import type { Database } from 'bun:sqlite'
import { hashOf } from '../hash.ts'

/** An owner is a passport's id and a check of the wallet, side by side in a number that JavaScript holds exactly. */
const CHECKS = 2 ** 20
const LARGEST_ID = 2 ** 33

/** The id of the passport that a wallet leads to, in SQL, by its key, check and address; null where only the rows can tell. */
export const ID_BY_KEY = `select owner / ${CHECKS} from wallet_keys where key = ? and owner % ${CHECKS} = ?
  and not exists (select 1 from moved_wallets where address = ?)`

export type WalletHash = ReturnType<typeof createWalletHash>

/**
 * The key and the check of a wallet: of two wallets, 73 bits would have to agree. They are others in each generation of
 * documents, so that nobody can choose wallets that share them.
 */
export function createWalletHash(generation: string) {
  const [seed, checkSeed] = [hashOf(generation), Bun.hash.xxHash32(generation)]
  return (address: string): [key: number, check: number] => [
    hashOf(address, seed),
    Bun.hash.xxHash32(address, checkSeed) % CHECKS,
  ]
}

/** Keeps the keys of wallets; the caller holds the transaction. */
export function createWalletKeys(writer: Database) {
  const clearings = ['delete from wallet_keys', 'delete from moved_wallets'].map((sql) => writer.query(sql))
  const list = writer.query<{ address: string }, [number]>(
    'select address from wallets where passport_id = ?',
  )
  const listMoved = writer.query<{ address: string; passport_id: number | null }, [number]>(
    'select address, passport_id from moved_wallets left join wallets using (address) limit ?',
  )
  const settle = writer.query('delete from moved_wallets where address = ?')
  // What is there already is not written again: each key lies on a page of its own.
  const put = writer.query(
    `insert into wallet_keys (key, owner) values (?, ?)
     on conflict (key) do update set owner = excluded.owner where owner <> excluded.owner`,
  )
  const remove = writer.query('delete from wallet_keys where key = ?')

  function set([key, check]: [number, number], id: number | null): void {
    if (id !== null && id < LARGEST_ID) put.run(key, id * CHECKS + check)
    else remove.run(key)
  }

  return {
    clear(): void {
      for (const clearing of clearings) clearing.run()
    },
    /** Of all wallets of a passport. */
    add(id: number, generation: string): void {
      const hash = createWalletHash(generation)
      for (const { address } of list.all(id)) set(hash(address), id)
    },
    /** Gives back how many wallets had moved, up to a limit. */
    settleMoved(limit: number, generation: string): number {
      const hash = createWalletHash(generation)
      const moved = listMoved.all(limit)
      for (const { address, passport_id } of moved) {
        set(hash(address), passport_id)
        settle.run(address)
      }
      return moved.length
    },
  }
}
