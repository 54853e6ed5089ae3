import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
/** For this length, a pattern with quadratic backtracking needs millions of steps, a linear one a few thousand. */
const LONG = 3000
const QUADRATIC = /\s+$/

/** Slow patterns that only get short input: an IP address, the digits of a number, a setting. */
const SHORT_TEXT_ONLY = [
  'src/core/http/client-identity.ts: (\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)$',
  'src/core/store/database-address.ts: ^(\\w*:?\\/*).*@',
  'src/ui/text.ts: \\B(?=(?:\\d{3})+$)',
  'src/serve/request-listener.ts: \\d+$',
]

/** Matches regular expression literals in source code. False matches are harmless. */
const LITERAL =
  /(?<=[(,=:?!&|[{\s])\/(?![/*\s])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s.,;)\]}:]|$)/gm

type Found = { file: string; pattern: RegExp }

function findPatterns(file: string): Found[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return [...source.matchAll(LITERAL)].flatMap(([, body = '', flags]) => {
    try {
      return [{ file, pattern: new RegExp(body, flags) }]
    } catch {
      return []
    }
  })
}

/** Long inputs made of characters from the pattern, with a mismatch at the end. */
function attacksOn({ source }: RegExp): string[] {
  const plain = source.replace(/\\[pP]\{[^}]*\}/g, ' ').replace(/\\x([0-9a-f]{2})/gi, (_, hex) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  const named =
    plain
      .replace(/\\s/g, ' ')
      .replace(/\\[dw]/g, '0')
      .match(/[\x20-\x7e]/g) ?? []
  const letters = [...new Set([...named, 'a', '0', ' ', '\t', ','])]
  const words = plain.match(/[a-z]{2,}/gi) ?? []
  const pairs = letters.slice(0, 12).flatMap((one) => ['0', 'a', ' ', '.'].map((other) => one + other))
  return [...letters, ...pairs, ...words].flatMap((unit) => {
    const long = unit.repeat(Math.ceil(LONG / unit.length))
    return [`${long}\u0000`, ...words.slice(0, 3).map((word) => `${word}${long}\u0000`)]
  })
}

function timeOf(pattern: RegExp, text: string): number {
  const begin = performance.now()
  pattern.lastIndex = 0
  pattern.test(text)
  return performance.now() - begin
}

/** A fourth of the time of a pattern that is known to be slow, so that the limit fits any machine. */
const LIMIT = Math.min(...Array.from({ length: 5 }, () => timeOf(QUADRATIC, `${' '.repeat(LONG)}x`))) / 4

/** Repeats the measurement, because other programs may disturb one. */
function isSlow(pattern: RegExp, text: string): boolean {
  for (let tries = 0; tries < 5; tries++) if (timeOf(pattern, text) < LIMIT) return false
  return true
}

const findSlow = (found: readonly Found[]) =>
  found
    .filter(({ pattern }) => attacksOn(pattern).some((text) => isSlow(pattern, text)))
    .map(({ file, pattern }) => `${file}: ${pattern.source}`)
    .sort()

test('no regular expression is slow on long input', () => {
  const globs = ['src/**/*.{ts,js}', 'packages/client/src/**/*.ts']
  const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(ROOT)])
  const found = files.flatMap(findPatterns)
  expect(found.length).toBeGreaterThan(90)
  expect(findSlow(found).filter((pattern) => !SHORT_TEXT_ONLY.includes(pattern))).toEqual([])
})

test('a slow regular expression is detected', () => {
  const patterns = [/^a+a+$/, /\s+$/]
  expect(findSlow(patterns.map((pattern) => ({ file: '', pattern })))).toHaveLength(2)
})
