import type { Credential } from '../../domain/credential.ts'
import type { Social } from '../../domain/passport.ts'
import { inventCredentials, type Person } from './people.ts'
import type { Random } from './random.ts'

const HANDLE = 'harborada'
const DISPLAY_NAME = 'Ada Harborlight'
const PLACE = 'Reykjavík'

/** Person 1 is an example of a complete and strong profile. */
export function toFirstPerson(person: Person, random: Random): Person {
  const invented = inventCredentials(person.calculatedAt, HANDLE, random, {
    strength: 1,
    fewest: 27,
    most: 27,
  })
  const others = invented.map(({ credential }) => credential).filter(({ type }) => type !== 'ens')
  return {
    ...person,
    human: true,
    connections: 318,
    verifiedWallets: [...person.verifiedWallets, `0xde30${random.hex(36)}`],
    profile: {
      displayName: DISPLAY_NAME,
      bio: 'Invented person no. 1. Builds lighthouses, and the small contracts that keep them lit. Teaches on Thursdays, sails on Fridays.',
      location: PLACE,
      tags: ['builder', 'solidity', 'educator', 'community'],
    },
    socials: [
      toSocial('github', 'Maintainer of a lighthouse kit.', '4821'),
      toSocial('farcaster', 'Notes from the harbour.', '12840'),
      toSocial('lens', 'Light, sea and small contracts.', '3902'),
    ],
    credentials: [...others, { ...(others[0] as Credential), type: 'ens', score: 5, maxScore: 5 }],
  }
}

const toSocial = (source: string, bio: string, followers: string): Social => ({
  source,
  name: HANDLE,
  displayName: DISPLAY_NAME,
  bio,
  location: PLACE,
  url: `https://example.com/${source}/${HANDLE}`,
  imageUrl: '',
  followers,
  following: '212',
})
