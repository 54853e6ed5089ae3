import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// A comparison that ends at the first different byte would tell a client how much of a key is right.
test('the API compares hashes of keys in constant time only', () => {
  const folder = join(import.meta.dir, '../../src/api')
  const uses = [...new Bun.Glob('**/*.ts').scanSync(folder)].flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\S*\bkey\.hash\b\S*/g)].map(([use]) => use),
  )
  expect(uses).toEqual(['key.hash)'])
  const source = readFileSync(join(folder, 'auth.ts'), 'utf8')
  expect(source).toContain("import { timingSafeEqual } from 'node:crypto'")
  expect(source).toContain('timingSafeEqual(hash, key.hash)')
})
