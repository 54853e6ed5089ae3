import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOutdated, MUTATIONS } from '../stress/mutations/all-mutations.ts'

const ROOT = join(import.meta.dir, '..')

// If this fails, change the entry in stress/mutations, and run it: npx bun stress/mutations/main.ts 'part of its name'
test('every mutation of stress/mutations names existing test files and titles, and its original text occurs once in its file', () => {
  expect(MUTATIONS.length).toBeGreaterThan(60)
  expect(MUTATIONS.filter((mutation) => isOutdated(ROOT, mutation)).map(({ name }) => name)).toEqual([])
  const tests = new Set(MUTATIONS.flatMap(({ tests }) => tests))
  expect([...tests].filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
  // Titles that begin with ^ are patterns that select an engine.
  const titled = MUTATIONS.filter(({ title }) => title !== undefined && !title.startsWith('^'))
  expect(titled.filter(({ title = '', tests }) => !tests.some((file) => read(file).includes(title)))).toEqual(
    [],
  )
})
