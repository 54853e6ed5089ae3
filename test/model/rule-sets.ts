import type { RuleSet } from './scores.ts'

const code = {
  name: 'Code',
  category: 'Skills',
  max_score: 40,
  convert: 'sqrt',
  multiplier: 2,
  accounts: 'best',
  proves_human: false,
} as const
const steps = {
  ...code,
  name: 'Steps',
  category: 'Activity',
  max_score: 30,
  convert: 'none',
  multiplier: 1,
  accounts: 'sum',
} as const
const face = {
  ...code,
  name: 'Face',
  category: 'Identity',
  max_score: 5,
  convert: 'none',
  multiplier: 5,
  proves_human: true,
} as const
const hobby = {
  ...code,
  name: 'Hobby',
  category: 'Hobbies',
  max_score: 10,
  convert: 'none',
  multiplier: 1,
} as const

/** The rule sets that operations apply. They differ in conversions, caps, types, and in who counts as human. */
export const RULE_SETS: readonly [RuleSet, ...RuleSet[]] = [
  { version: 'first', types: { code, steps, face, hobby } },
  // Gives most passports the same scores as the first one.
  { version: 'same', types: { code, steps, face, hobby: { ...hobby, max_score: 9 } } },
  { version: 'capped', caps: { Skills: 20 }, types: { code: { ...code, multiplier: 3 }, face, hobby } },
  {
    version: 'unique',
    types: {
      code: { ...code, unique: 'first' },
      steps: { ...steps, accounts: 'best' },
      face: { ...face, proves_human: false },
    },
  },
]

/** The types of credentials and data points. No rule set has a rule for the last one. */
export const TYPES = ['code', 'steps', 'face', 'hobby', 'kites'] as const
