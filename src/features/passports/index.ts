import type { Feature } from '../../feature.ts'

export const passports: Feature = {
  name: 'passports',
  async serve() {
    const { listOfPassports } = await import('./list.ts')
    const { passport } = await import('./passport.ts')
    const { search } = await import('./search.ts')
    const { scores } = await import('./scores.ts')
    const { accounts } = await import('./accounts.ts')
    const { lookup } = await import('./lookup.ts')
    const { asSchemasOfV3 } = await import('../../core/api/surface.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [listOfPassports, passport, accounts, search, scores, lookup],
      schemas: asSchemasOfV3(await import('./schemas.ts')),
    }
  },
}
