import { expect, test } from 'bun:test'
import { requestKinds } from '../../bench/support/request-kinds.ts'
import { claimsOf, missingEvidence, readEvidence } from '../support/docs/evidence.ts'
import { readPage } from '../support/docs/pages.ts'

const MITIGATIONS = readEvidence('test/security/mitigations.json')

test('every mitigation of docs/security.md has tests in mitigations.json, and all of them exist', () => {
  const claims = claimsOf('docs/security.md', 'Threats and mitigations', 'Packages')
  expect(claims.length).toBeGreaterThan(20)
  expect(Object.keys(MITIGATIONS)).toEqual(claims)
  expect(claims.filter((claim) => MITIGATIONS[claim]?.length === 0)).toEqual([])
  expect(missingEvidence(MITIGATIONS)).toEqual([])
  expect(missingEvidence({ log: ['test/core/basics/log.test.ts: people read'] })).toHaveLength(1)
})

test('the costs in bench/RESULTS.md name only requests of bench/request-costs.ts, in the same order', () => {
  const [, table = ''] = readPage('bench/RESULTS.md').split('\n## Costs of requests\n')
  const rows = [...table.matchAll(/^\| (.+?) +\|/gm)].map(([, name]) => name).slice(2)
  const kinds = requestKinds(1000, '2026-01-01').map(({ name }) => name)
  expect(rows.length).toBeGreaterThan(30)
  expect(rows).toEqual(kinds.filter((name) => rows.includes(name)))
})

test('hashes of keys are compared in constant time', () => {
  const source = readPage('src/core/http/client-identity.ts')
  expect(source).toContain('timingSafeEqual(hash, key.hash)')
  expect(source).not.toMatch(/[!=]==? (key\.)?hash|hash [!=]==?/)
})
