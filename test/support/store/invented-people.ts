import { DEFAULT_RULES } from '../../../src/core/scoring/stamped-rule-set.ts'
import { readDemo, toScored } from '../../../src/features/demo/fill-with-demo.ts'
import { NOON } from './records.ts'

/** The people of the demo without a history: each record gives the scores of all its credentials. */
export const inventPeople = () =>
  readDemo(NOON).flatMap(({ record }) => {
    if (record.kind !== 'passport') return []
    const person = record.passport
    const { dataPoints, rules, givenHuman, givenScores, ...scored } = toScored(person, DEFAULT_RULES, NOON)
    const credentials = scored.credentials.map((each) => ({ ...each, givenScore: each.score }))
    return [{ ...scored, credentials, stale: scored.id === 42 }]
  })

export type Person = ReturnType<typeof inventPeople>[number]
