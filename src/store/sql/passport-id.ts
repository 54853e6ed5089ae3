import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../rows/passport.ts'

const survivorOf = (start: string) => `(with recursive chain (id, hops) as (
  select ${start}, 0
  union all
  select merged_into, hops + 1 from chain join passports using (id)
  where merged_into is not null and hops < ${LONGEST_CHAIN}
) select id from chain order by hops desc limit 1)`

const OWNER = '(select passport_id from wallets where address = $1)'

/** SQL for the id of a passport, on either engine. `$1` is an id or a wallet address. */
export const PASSPORT_ID = { id: 'cast($1 as bigint)', wallet: OWNER }

/** The same for the survivor of a merged passport, through several merges. */
export const SURVIVOR_ID = { id: survivorOf(PASSPORT_ID.id), wallet: survivorOf(OWNER) }

export const refKind = (ref: PassportRef) => ('id' in ref ? 'id' : 'wallet')
export const refValue = (ref: PassportRef) => ('id' in ref ? ref.id : ref.wallet)
