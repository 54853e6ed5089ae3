import { expect } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Compares byte for byte. `UPDATE_GOLDEN=1` rewrites the files: each diff is an API change. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(`../../golden/${name}.json`, import.meta.url)
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text)
  expect(existsSync(file), `${file.pathname} is missing: run with UPDATE_GOLDEN=1`).toBe(true)
  expect(text).toBe(readFileSync(file, 'utf8'))
}
