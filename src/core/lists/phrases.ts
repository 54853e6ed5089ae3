import { foldName } from '../basics/text/fold-name.ts'
import type { Level, RuleSetShape } from '../passport/rules/rule-set.ts'
import { equals, type Filter } from './filter.ts'

/** The names of levels and credentials, which are no values of passports. */
export function phrasesOf(rules: RuleSetShape): Map<string, Filter[]> {
  const phrases = new Map<string, Filter[]>()
  const add = (phrase: string, terms: Filter) => phrases.getOrInsert(phrase, []).push(terms)
  for (const { name, terms } of termsOfLevels(rules.levels)) add(foldName(name), terms)
  for (const [type, { name }] of Object.entries(rules.types))
    for (const phrase of new Set([foldName(name), foldName(type).replaceAll('_', ' ')]))
      add(phrase, [equals('type', type)])
  return phrases
}

/** The scores of each level. */
export const termsOfLevels = (levels: readonly Level[] = []): { name: string; terms: Filter }[] =>
  levels.map(({ name, from }, at) => {
    const next = levels[at + 1]
    return { name, terms: [compareScore('>=', from), ...(next ? [compareScore('<', next.from)] : [])] }
  })

const compareScore = (operator: '>=' | '<', value: number): Filter[number] => ({
  field: 'score',
  conditions: [{ not: false, operator, value }],
})
