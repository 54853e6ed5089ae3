import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const document = read('docs/security.md')
const answers = document
  .slice(document.indexOf('## Threats and answers'), document.indexOf('## Packages'))
  .split(/^- /m)
  .slice(1)

const findNamed = (text: string) =>
  [...text.matchAll(/`(test\/[^`]+\.test\.ts)`\s"([^"]+)"/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }))

const exists = ({ file, title }: { file: string; title: string }) =>
  existsSync(join(ROOT, file)) && read(file).includes(`'${title}'`)

test('every answer of docs/security.md names a test', () => {
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.filter((answer) => findNamed(answer).length === 0)).toEqual([])
  // None is written in a way in which it is not found.
  expect(findNamed(document)).toHaveLength(document.match(/"(?=,?\n)/g)?.length as number)
})

test('every test that it names is there', () => {
  expect(findNamed(document).filter((named) => !exists(named))).toEqual([])
  expect(exists({ file: 'test/log.test.ts', title: 'people read' })).toBe(false)
})

test('hashes of keys are compared in constant time', () => {
  const source = read('src/http/auth.ts')
  expect(source).toContain('timingSafeEqual(hash, key.hash)')
  expect(source).not.toMatch(/[!=]==? (key\.)?hash|hash [!=]==?/)
})
