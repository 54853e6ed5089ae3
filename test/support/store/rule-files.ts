/** A rule set file with one type, `kites`, which scores its value times `multiplier`. */
export function kiteRules(version: string, rule: Record<string, unknown> = {}): string {
  const kites = {
    name: 'Kites',
    category: 'Skills',
    max_score: 90,
    convert: 'none',
    multiplier: 1,
    accounts: 'best',
    proves_human: false,
    ...rule,
  }
  return JSON.stringify({ version, types: { kites } })
}
