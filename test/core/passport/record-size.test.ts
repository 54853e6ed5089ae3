import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { parseLine, parseRecord } from '../../../src/core/passport/parse-record.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { parsePassport } from '../../support/mirror/parse-record.ts'
import { databaseMaker } from '../../support/store/engines.ts'

const OPTIONS = { now: 0, rawKindOf: () => undefined, rescore: false }

function problemOf(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

const long = 'x'.repeat(1904)
const OVERSIZED: [string, object][] = [
  ['passport_profile.tags', { passport_profile: { tags: Array<string>(2000).fill(long) } }],
  ['passport_profile.bio', { passport_profile: { bio: 'x'.repeat(9999) } }],
  ['passport_profile.display_name', { passport_profile: { display_name: '\u0001'.repeat(1000) } }],
  ['image_url', { image_url: `https://example.com/${long}${long}` }],
  ['image_url', { passport_profile: { image_url: `https://example.com/${long}${long}` } }],
  [
    'verified_wallets',
    { verified_wallets: Array.from({ length: 200 }, (_, at) => `0x${at}`.padEnd(42, '0')) },
  ],
  ['passport_socials', { passport_socials: Array(200).fill({ source: 'lens', profile_bio: long }) }],
  ['credentials', { credentials: Array(2000).fill({ type: 'kite', score: 1, earned_at: '2024-01-01' }) }],
  ['data_points', { data_points: Array.from({ length: 600 }, (_, at) => ({ type: `t${at}`, value: 1, display: 'x'.repeat(900) })) }], // biome-ignore format: one row a case
]

test.each(OVERSIZED)('if %s is too large, the error has the name and size of the field', (field, fields) => {
  const reason = /^must be at most [\d,]+ bytes as JSON, got [\d,]+ bytes$/
  expect(() => parsePassport(fields)).toThrow(
    expect.objectContaining({ problem: { field, reason: expect.stringMatching(reason) } }),
  )
})

test('a field that is too large is found in any line, also in one with many short entries', () => {
  const entries = { credentials: { type: 'k', score: 1 }, passport_socials: { source: 's' }, data_points: { type: 'k', value: 1 } } // biome-ignore format: one row
  for (const [name, entry] of Object.entries(entries))
    for (const count of [200, 400, 600, 800, 1000, 1500, 2000]) {
      const line = {
        passport_id: 7,
        [name]: Array.from({ length: count }, (_, at) => ({ ...entry, id: `${at}` })),
      }
      const bytes = new TextEncoder().encode(JSON.stringify(line))
      expect(problemOf(() => parseLine(bytes, OPTIONS))).toEqual(problemOf(() => parseRecord(line, OPTIONS)))
    }
})

test('import refuses the data points of a passport beyond the first 2,000', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  const file = here.path('points.jsonl')
  const data_points = Array.from({ length: 2000 }, (_, at) => ({ type: 'kite', account: `${at}`, value: 1 }))
  const lines = [{ passport_id: 5, data_points }, ...['7', 'new'].map((account) => ({ passport: 5, type: 'kite', account, value: 2 }))] // biome-ignore format: one row a case
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { code, err } = await here.call('import', file)
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(':3: passport: has 2000 data points already, and 2000 are accepted'),
  })
  expect(err).toContain('1 added, 1 changed')
})

test('import refuses single data points that would make those of a passport larger than 400,000 bytes', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  const file = here.path('points.jsonl')
  const point = (account: string, display: string) => ({
    passport: 5,
    type: 'kite',
    account,
    value: 1,
    display,
  })
  const long = '\u0416'.repeat(1000)
  const points = Array.from({ length: 199 }, (_, at) => point(`${at}`, long))
  const write = (lines: readonly object[]) => {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return here.call('import', file)
  }
  const { code, err } = await write([{ passport_id: 5 }, ...points])
  expect(code).toBe(1)
  expect(err).toMatch(
    /:200: passport: would have 40\d,\d{3} bytes of data points as JSON, and 400,000 are accepted/,
  )
  const shorter = await write([point('0', ''), point('198', long)])
  expect([shorter.code, shorter.err]).toEqual([0, expect.stringContaining('1 added, 1 changed')])
})
