import { defineData } from '../data.ts'
import { parseProfile } from '../rows/passport.ts'
import { ANY_SURVIVOR_OF_WALLET } from './passports.ts'

export type Subject = { id: number; hidden: boolean; name: string }

/** Finds people for themselves and for operators: hidden passports, too. */
export const SUBJECTS = defineData({
  name: 'subjects',
  open({ snapshot }) {
    const find = (id: string, value: string | number): Promise<Subject | undefined> =>
      snapshot(async ({ query }) => {
        const [row] = await query<{ id: number; hidden: number | boolean; profile: string }>(
          `select id, hidden_at is not null as hidden, profile
           from passports where id = ${id}`,
          [value],
        )
        return row && { id: row.id, hidden: Boolean(row.hidden), name: parseProfile(row.profile).displayName }
      })
    return {
      /** The passport of a wallet. A merged passport leads to its survivor. */
      find: (wallet: string) => find(ANY_SURVIVOR_OF_WALLET, wallet),
      /** The passport with this id, even if it is merged. */
      findById: (id: number) => find('$1', id),
    }
  },
})
