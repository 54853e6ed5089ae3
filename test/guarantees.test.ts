import { expect, test } from 'bun:test'
import { SCENARIOS } from '../stress/scenarios.ts'
import { isTest, readPage, testsNamedIn } from './support/docs/named-tests.ts'

/** The stress scenarios that a text names. */
const scenariosIn = (text: string) => [...text.matchAll(/stress\s`([^`]+)`/g)].map(([, name = '']) => name)

const sectionOf = (path: string, begin: string, end: string) => {
  const text = readPage(path)
  const from = text.indexOf(begin)
  expect(from).toBeGreaterThan(0)
  return text.slice(from, text.indexOf(end, from))
}

test.each([
  ['README.md', sectionOf('README.md', '## What is promised', '\n## More')],
  ['docs/reliability.md', sectionOf('docs/reliability.md', '## Nothing that', '## What is not promised')],
])('every guarantee of %s names a test or stress scenario that exists', (_, section) => {
  const guarantees = section.split(/^- /m).slice(1)
  expect(guarantees.length).toBeGreaterThan(4)
  expect(guarantees.filter((text) => testsNamedIn(text).length + scenariosIn(text).length === 0)).toEqual([])
  expect(testsNamedIn(section).filter((each) => !isTest(each))).toEqual([])
  expect(
    scenariosIn(section).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)),
  ).toEqual([])
})

test('every stress scenario verifies a guarantee, and is in the table of the last long run', () => {
  const named = scenariosIn(readPage('docs/reliability.md'))
  const table = readPage('docs/reliability.md').split('## The last long run')[1]
  expect(SCENARIOS.filter(({ name }) => !named.includes(name))).toEqual([])
  expect(SCENARIOS.filter(({ title }) => !table?.includes(title)).map(({ name }) => name)).toEqual([])
})
