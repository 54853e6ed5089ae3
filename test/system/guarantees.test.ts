import { expect, test } from 'bun:test'
import { SCENARIOS } from '../../stress/all-scenarios.ts'
import { claimsOf, missingEvidence, readEvidence, scenariosOf } from '../support/docs/evidence.ts'
import { codeIn, readPage } from '../support/docs/pages.ts'

const GUARANTEES = readEvidence('test/guarantees.json')
const NAMES = SCENARIOS.map(({ name }) => name)

test('every guarantee of docs/reliability.md has tests or scenarios in guarantees.json, and all of them exist', () => {
  const claims = claimsOf('docs/reliability.md', 'Acknowledged writes are durable', 'Not guaranteed')
  expect(claims.length).toBeGreaterThan(15)
  expect(Object.keys(GUARANTEES)).toEqual(claims)
  expect(claims.filter((claim) => GUARANTEES[claim]?.length === 0)).toEqual([])
  expect(missingEvidence(GUARANTEES, NAMES)).toEqual([])
})

test('every stress scenario verifies a guarantee, and stress/RESULTS.md has its latest long run', () => {
  const verifying = scenariosOf(GUARANTEES)
  expect(NAMES.filter((name) => !verifying.includes(name))).toEqual([])
  const results = codeIn(readPage('stress/RESULTS.md'))
  expect(NAMES.filter((name) => !results.includes(name))).toEqual([])
})
