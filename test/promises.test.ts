import { expect, test } from 'bun:test'
import { PARTS } from '../torture/parts.ts'
import { isTest, readPage, testsNamedIn } from './support/named-tests.ts'

/** The parts of the torture that a text names. */
const partsIn = (text: string) => [...text.matchAll(/torture\s`([^`]+)`/g)].map(([, name = '']) => name)

const sectionOf = (path: string, begin: string, end: string) => {
  const text = readPage(path)
  const from = text.indexOf(begin)
  expect(from).toBeGreaterThan(0)
  return text.slice(from, text.indexOf(end, from))
}

test.each([
  ['README.md', sectionOf('README.md', '## What is promised', '\n## More')],
  ['docs/reliability.md', sectionOf('docs/reliability.md', '## Nothing that', '## What is not promised')],
])('every promise of %s names what shows it, and that is there', (_, section) => {
  const promises = section.split(/^- /m).slice(1)
  expect(promises.length).toBeGreaterThan(4)
  expect(promises.filter((text) => testsNamedIn(text).length + partsIn(text).length === 0)).toEqual([])
  expect(testsNamedIn(section).filter((each) => !isTest(each))).toEqual([])
  expect(partsIn(section).filter((name) => !PARTS.some((part) => part.name === name))).toEqual([])
})

test('every part of the torture shows a promise, and stands in the table of the last long run', () => {
  const promised = partsIn(readPage('docs/reliability.md'))
  const table = readPage('docs/reliability.md').split('## The last long run')[1]
  expect(PARTS.filter(({ name }) => !promised.includes(name))).toEqual([])
  expect(PARTS.filter(({ what }) => !table?.includes(what)).map(({ name }) => name)).toEqual([])
})
