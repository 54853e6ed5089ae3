/** Two versions of the same people. Every part of a response shows which version it has. */
export type Version = 'amber' | 'birch'
export const VERSIONS: readonly Version[] = ['amber', 'birch']

export const PEOPLE = 60
export const IDS = Array.from({ length: PEOPLE }, (_, index) => index + 1)

export const walletOf = (id: number) => `0x${id.toString(16).padStart(40, '0')}`

/** Every second person is imported without a score, which the server then calculates. */
export const isScored = (id: number) => id % 2 === 0

export const linesOf = (version: Version): string =>
  IDS.map((id) => `${JSON.stringify(recordOf(id, version))}\n`).join('')

function recordOf(id: number, version: Version) {
  const points = version === 'amber' ? 3 : 4
  const credential = (name: string) => ({
    id: `${name}-${id}`,
    type: 'github',
    name: `${name} ${version}`,
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
      display_name: `Person ${id} ${version}`,
      bio: `The ${version} life of ${id}. `.repeat(10),
      location: version,
      tags: [version],
    },
    passport_socials: [{ source: 'lens', profile_name: version, follower_count: String(points) }],
    credentials: [credential('one'), credential('two')],
  }
}
