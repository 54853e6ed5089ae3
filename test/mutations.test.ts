import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOutdated, MUTATIONS } from '../stress/mutations/all-mutations.ts'

const ROOT = join(import.meta.dir, '..')

// If this fails, change the entry in stress/mutations, and run it: npx bun stress/mutations/main.ts 'part of its name'
test('every mutation of stress/mutations names existing tests, and a text that its file contains exactly once', () => {
  expect(MUTATIONS.length).toBeGreaterThan(60)
  expect(MUTATIONS.filter((mutation) => isOutdated(ROOT, mutation)).map(({ name }) => name)).toEqual([])
  const tests = new Set(MUTATIONS.flatMap(({ tests }) => tests))
  expect([...tests].filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
