import { presentRecord } from '../../../src/features/records/export.ts'
import { inventPeople } from './invented-people.ts'

export const toLines = (...fields: readonly object[]): string =>
  fields.map((each) => `${JSON.stringify(each)}\n`).join('')

/** A thousand people without merges. */
export const INVENTED = inventPeople().slice(0, 1000)

/** The text of a file that imports these people. Each `edition` has other ids and wallets. */
export function linesOf(people: typeof INVENTED, edition = 0): string {
  const edited = people.map((person) => ({
    ...person,
    id: person.id + edition * 1000,
    mainWallet: `${person.mainWallet}${edition}`,
    verifiedWallets: person.verifiedWallets.map((wallet) => `${wallet}${edition}`),
  }))
  return toLines(...edited.map(presentRecord))
}
