import { expect, test } from 'bun:test'
import { isTest, readPage, testsNamedIn } from '../support/docs/named-tests.ts'

const document = readPage('docs/security.md')
const answers = document
  .slice(document.indexOf('## Threats and answers'), document.indexOf('## Packages'))
  .split(/^- /m)
  .slice(1)

test('every answer of docs/security.md names a test', () => {
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.filter((answer) => testsNamedIn(answer).length === 0)).toEqual([])
  // None is written in a way in which it is not found.
  expect(testsNamedIn(document)).toHaveLength(document.match(/"(?=,?\n)/g)?.length as number)
})

test('every test that it names is there', () => {
  expect(testsNamedIn(document).filter((named) => !isTest(named))).toEqual([])
  expect(isTest({ file: 'test/log.test.ts', title: 'people read' })).toBe(false)
})

test('hashes of keys are compared in constant time', () => {
  const source = readPage('src/api/auth.ts')
  expect(source).toContain('timingSafeEqual(hash, key.hash)')
  expect(source).not.toMatch(/[!=]==? (key\.)?hash|hash [!=]==?/)
})
