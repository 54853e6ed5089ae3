import { expect, test } from 'bun:test'
import { SCENARIOS } from '../../stress/all-scenarios.ts'
import { isTest, readPage, testsNamedIn } from '../support/docs/pages.ts'

const scenariosIn = (text: string) => [...text.matchAll(/stress\s`([^`]+)`/g)].map(([, name = '']) => name)

const page = readPage('docs/reliability.md')

test('every guarantee in docs/reliability.md names a test or stress scenario that exists', () => {
  const section = page.slice(page.indexOf('\n## '), page.indexOf('## Not guaranteed'))
  const guarantees = section.split(/^- /m).slice(1)
  expect(guarantees.length).toBeGreaterThan(15)
  expect(guarantees.filter((text) => testsNamedIn(text).length + scenariosIn(text).length === 0)).toEqual([])
  expect(testsNamedIn(section).filter((each) => !isTest(each))).toEqual([])
  expect(
    scenariosIn(section).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)),
  ).toEqual([])
})

test('every stress scenario verifies a guarantee, and has a row in the table of the latest long run', () => {
  const named = scenariosIn(page)
  const table = page.split('## Latest long run')[1]
  expect(SCENARIOS.filter(({ name }) => !named.includes(name))).toEqual([])
  expect(SCENARIOS.filter(({ title }) => !table?.includes(title)).map(({ name }) => name)).toEqual([])
})
