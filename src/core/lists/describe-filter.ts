import { type FilterField, parseFilter } from './filter.ts'

const WORDS: Partial<Record<FilterField, [string, string]>> = {
  ...{ tag: ['tagged', 'not tagged'], location: ['in', 'not in'], type: ['with', 'without'] },
}

/**
 * Returns "tagged “Rust” or “Solidity”" or "without GitHub or ENS". `labels` are those of the values, in the same order. A
 * filter that has no such words is returned as it is.
 */
export function describeFilter(text: string, labels: readonly string[]): string {
  const terms = parseFilter(text)
  const [first] = terms
  const not = first?.conditions[0]?.not === true
  const isSame = terms.every(
    ({ field, conditions }) => field === first?.field && conditions.every((each) => each.not === not),
  )
  // Without both of two values: two terms. One of two values: one term.
  const isPlain = not ? terms.every(({ conditions }) => conditions.length === 1) : terms.length === 1
  const words = first && isSame && isPlain ? WORDS[first.field] : undefined
  const shown = first?.field === 'tag' ? labels.map((label) => `“${label}”`) : labels
  return words ? `${words[Number(not)]} ${shown.join(' or ')}` : text
}
