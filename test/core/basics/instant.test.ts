import { expect, test } from 'bun:test'
import { formatInstant, parseInstant, readIsoTime } from '../../../src/core/basics/text/instant.ts'

test.each([
  ['2024-09-27', Date.UTC(2024, 8, 27)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2024-09-27T09:18:56.019Z', Date.UTC(2024, 8, 27, 9, 18, 56, 19)],
  ['2024-09-27T09:18:56.019123Z', Date.UTC(2024, 8, 27, 9, 18, 56, 19)],
  ['2024-09-27T09:18Z', Date.UTC(2024, 8, 27, 9, 18)],
  ['2024-09-27T09:18:56', Date.UTC(2024, 8, 27, 9, 18, 56)],
  ['2024-09-27 09:18:56', Date.UTC(2024, 8, 27, 9, 18, 56)],
  ['2024-09-27T09:18:56+02:00', Date.UTC(2024, 8, 27, 7, 18, 56)],
  ['2024-09-27t09:18:56z', Date.UTC(2024, 8, 27, 9, 18, 56)],
])('%s is a valid time', (text, instant) => {
  expect(parseInstant(text)).toBe(instant)
})

const BAD = `|2024|2024-09|2024-9-7|24-09-27|2024/09/27|27.09.2024|09/27/2024|20240927|2025-W01-1|1727428736|yesterday|null
|2024-00-10|2024-13-01|2024-09-00|2024-09-31|2023-02-29|2024-02-30|2025-02-30T00:00:00Z|0000-00-00 00:00:00
|2024-09-27T|2024-09-27Z|2024-09-27T9:18:56Z|2024-09-27T09:18:56.Z|2024-09-27T09:18:56 UTC|2024-09-27T25:00:00Z
|2024-09-27T23:60:00Z|2024-09-27T23:59:60Z|2024-09-27T09:18:56+99:99|2025-01-01T00:00:00+99:00
|+002024-09-27|-2024-09-27|9999-12-31T23:00:00-10:00|0000-01-01T00:00:00+01:00| 2024-09-27|١٩٩٩-٠٩-٢٧|Fri, 27 Sep 2024 09:18:56 GMT`

test.each([...BAD.split('|').map((text) => text.replace('\n', '')), '2024-09-27\n'])(
  '%p is not a valid time',
  (text) => {
    expect(parseInstant(text)).toBeUndefined()
  },
)

test('formatInstant omits seconds that are zero', () => {
  expect(formatInstant(Date.UTC(2026, 11, 1, 9))).toBe('2026-12-01 09:00 UTC')
  expect(formatInstant(Date.UTC(2026, 11, 1, 9, 0, 7))).toBe('2026-12-01 09:00:07 UTC')
})

test.each([
  '0000-01-01T00:00:00.000Z',
  '0099-12-31T23:59:59.999Z',
  '0100-02-28T09:18:56.019Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T12:30:45.678Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00.000Z',
])('the time %s is read as Date.parse reads it', (text) => expect(readIsoTime(text)).toBe(Date.parse(text)))
