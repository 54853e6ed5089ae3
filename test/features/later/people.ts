import {
  ada,
  credential,
  dataPoint,
  grace,
  graceOld,
  nobody,
  record,
  social,
} from '../../support/store/records.ts'

/** A person whose handle is the passport id of somebody else, and one whose handles two people have. */
const impostor = record(25, { scores: { total: 9 }, socials: [social('github', '7')] })
const twins = [22, 23].map((id) => record(id, { scores: { total: id }, socials: [social('github', 'twin')] }))

/** Known by Farcaster id from the text of a credential. */
export const flora = record(26, {
  human: true,
  scores: { total: 11 },
  profile: { displayName: 'Flora' },
  mainWallet: '0xf100000000000000000000000000000000000001',
  socials: [social('farcaster', 'flora', { followers: '1.2k', url: 'https://example.com/flora' })],
  credentials: [credential('f', { type: 'farcaster', name: 'Farcaster', score: 11, value: 'FID: 501383' })],
  dataPoints: [dataPoint('github', 1734, 'flora-dev')],
})

export const PEOPLE = [nobody, grace, graceOld, ada, flora, impostor, ...twins]
