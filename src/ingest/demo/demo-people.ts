import type { DataPoint } from '../../domain/data-point.ts'
import type { PassportRecord } from '../../domain/record/record.ts'
import { inventDataPoints, isCalculated } from './data-points.ts'
import { toFirstPerson } from './first-person.ts'
import { inventHandle } from './names.ts'
import { inventPeople, type Person } from './people.ts'
import { enrichProfile } from './profiles.ts'
import { createRandom, type Random } from './random.ts'

/** A record with the credentials whose points it gives, and the data points of all other credentials. */
export type DemoPerson = {
  record: PassportRecord & Pick<Person, 'credentials' | 'scores'>
  dataPoints: DataPoint[]
}

/** The people of the demo, as they are at a time. */
export const inventDemoPeople = (now: number): DemoPerson[] =>
  inventPeople().map((person) => {
    const random = createRandom(person.id)
    const { credentials, socials, ...rest } =
      person.id === 1 ? toFirstPerson(person, random) : enrich(person, random)
    const handle = socials[0]?.name ?? inventHandle(rest.profile.displayName, random)
    return {
      record: {
        ...rest,
        socials,
        stale: false,
        credentials: credentials.filter((each) => !isCalculated(each)),
      },
      dataPoints: inventDataPoints(credentials, { handle, wallets: rest.verifiedWallets }, random, now),
    }
  })

/** A proof that the person is human is a credential, not part of the record. */
const enrich = (person: Person, random: Random): Person => ({
  ...person,
  human: false,
  profile: enrichProfile(person, random),
})
