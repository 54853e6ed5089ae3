/** A rule that gives one point for each unit of the value, up to 90. */
export const rule = (given: object = {}) => ({
  name: 'Kites',
  category: 'Skills',
  max_score: 90,
  convert: 'none',
  multiplier: 1,
  accounts: 'best',
  proves_human: false,
  ...given,
})

/** A rule set file with one type, `kites`. */
export const kiteRules = (version: string, given: object = {}): string =>
  JSON.stringify({ version, types: { kites: rule(given) } })
