import type { Credential } from '../../domain/credential.ts'
import type { FullPassport } from '../../domain/passport.ts'
import type { Press } from '../../store/store.ts'
import { presentCredential, presentPassport } from './present.ts'

const passport = (one: FullPassport) => JSON.stringify({ passport: presentPassport(one) })

const credentials = (list: readonly Credential[]) =>
  JSON.stringify({ passport_credentials: list.map(presentCredential) })

/** Makes the bodies of the two answers that are about one passport. */
export const V1_PRESS: Press = { form: formOf(), passport, credentials }

/**
 * Where the passport's document that begins there says what the list says of it. Only a field looks like one: quotes in texts
 * are escaped.
 */
export function findListed(bytes: Buffer, start: number): { score: number; from: number; to: number } {
  const score = bytes.indexOf(SCORE, start, 'latin1') + SCORE.length
  const to = bytes.indexOf(SINGLE_ONLY, score, 'latin1')
  // What follows is not listed: the brace takes its place.
  bytes[to] = BRACE
  return {
    score: Number.parseFloat(bytes.toString('latin1', score, score + 24)),
    from: start + BEFORE.length,
    to: to + 1,
  }
}

const BEFORE = '{"passport":'
const SCORE = ',"score":'
/** Where what only the answer about one passport has begins. */
const SINGLE_ONLY = ',"merged":'
const BRACE = 125

/** Of something with every field: the form is another exactly when this comes out in another way. */
function formOf(): string {
  const social = { followers: '1', following: '2', location: 'a', bio: 'b', displayName: 'c', imageUrl: 'd' }
  const sample = {
    id: 1,
    scores: { total: 6, activity: 1, identity: 2, skills: 3 },
    stale: false,
    calculatedAt: 0,
    human: true,
    connections: 4,
    mainWallet: 'e',
    verifiedWallets: ['e'],
    profile: { bio: 'f', displayName: 'g', location: 'h', tags: ['i'] },
    socials: [{ ...social, name: 'j', url: 'k', source: 'l' }],
    merged: false,
  }
  const credential = { id: 'm', type: 'n', name: 'o', category: 'p', score: 1.5, maxScore: 2, value: 'q' }
  const earned = [{ ...credential, earnedAt: 0, calculatedAt: 0 }]
  return Bun.hash(passport(sample) + credentials(earned)).toString(36)
}
