/** Two editions of the same people, which differ in every part that an answer shows. */
export type Edition = 'amber' | 'birch'
export const EDITIONS: readonly Edition[] = ['amber', 'birch']

export const PEOPLE = 60
export const IDS = Array.from({ length: PEOPLE }, (_, index) => index + 1)

export const walletOf = (id: number) => `0x${id.toString(16).padStart(40, '0')}`

/** Of every other one the scores are still to be worked out when they come in. */
export const isScored = (id: number) => id % 2 === 0

export const linesOf = (edition: Edition): string =>
  IDS.map((id) => `${JSON.stringify(recordOf(id, edition))}\n`).join('')

function recordOf(id: number, edition: Edition) {
  const points = edition === 'amber' ? 3 : 4
  const credential = (name: string) => ({
    id: `${name}-${id}`,
    type: 'github',
    name: `${name} ${edition}`,
    category: 'Skills',
    score: isScored(id) ? null : points,
    max_score: 40,
    value: `${points * 100 + id} contributions`,
  })
  return {
    passport_id: id,
    ...(!isScored(id) && { score: points * 2, skills_score: points * 2 }),
    main_wallet: walletOf(id),
    verified_wallets: [walletOf(id)],
    passport_profile: {
      display_name: `Person ${id} ${edition}`,
      bio: `The ${edition} life of ${id}. `.repeat(10),
      location: edition,
      tags: [edition],
    },
    passport_socials: [{ source: 'lens', profile_name: edition, follower_count: String(points) }],
    credentials: [credential('one'), credential('two')],
  }
}
