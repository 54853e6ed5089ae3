import { expect, test } from 'bun:test'
import { requestKinds } from '../../bench/support/request-kinds.ts'
import { isTest, readPage, testsNamedIn } from '../support/docs/pages.ts'

const document = readPage('docs/security.md')
const mitigations = document
  .slice(document.indexOf('## Threats and mitigations'), document.indexOf('## Packages'))
  .split(/^- /m)
  .slice(1)

test('every mitigation in docs/security.md names a test', () => {
  expect(mitigations.length).toBeGreaterThan(20)
  expect(mitigations.filter((text) => testsNamedIn(text).length === 0)).toEqual([])
  // `testsNamedIn` must find every quoted title.
  expect(testsNamedIn(document)).toHaveLength(document.match(/"(?=,?\n)/g)?.length as number)
})

test('every test named in docs/security.md exists', () => {
  expect(testsNamedIn(document).filter((named) => !isTest(named))).toEqual([])
  expect(isTest({ file: 'test/core/basics/log.test.ts', title: 'people read' })).toBe(false)
})

test('the table of costs in docs/security.md names only requests of bench/request-costs.ts, in the same order', () => {
  const [, table = ''] = document.split('\nMeasured on ')
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
