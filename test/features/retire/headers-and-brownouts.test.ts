import { expect, test } from 'bun:test'
import {
  checkBrownout,
  checkRemoval,
  retirementHeaders,
} from '../../../src/features/retire/headers-and-brownouts.ts'
import { NO_PLAN } from '../../support/program/retirement.ts'
import { NOON } from '../../support/store/records.ts'

const END = NOON + 90_000
const PLAN = { ...NO_PLAN, brownouts: [{ start: NOON, end: END }], exempt: ['0123456789'] }

test('a brownout applies from its start until just before its end, except to exempt keys', () => {
  for (const now of [NOON - 1, END]) expect(() => checkBrownout(PLAN, now)).not.toThrow()
  for (const now of [NOON, END - 1])
    expect(() => checkBrownout(PLAN, now, 'another')).toThrow(
      'V1 is switched off until 2026-01-02T12:01:30.000Z',
    )
  expect(() => checkBrownout(PLAN, NOON, '0123456789')).not.toThrow()
})

test('the removal applies from the moment of the sunset', () => {
  const plan = { ...NO_PLAN, sunsetAt: NOON, successor: 'https://example.com/v3' }
  expect(() => checkRemoval(plan, NOON - 1)).not.toThrow()
  expect(() => checkRemoval(plan, NOON)).toThrow(
    'V1 was removed on 2026-01-02. Use https://example.com/v3 instead.',
  )
})

test('the headers have the date of the deprecation, the successor and the sunset', () => {
  expect(retirementHeaders(NO_PLAN)).toEqual({
    Link: '</deprecation>; rel="deprecation"; type="text/html", </api/v3>; rel="successor-version"',
  })
  expect(retirementHeaders({ ...NO_PLAN, sunsetAt: NOON }, 5000)).toEqual({
    Deprecation: '@5',
    Link: '</deprecation>; rel="deprecation"; type="text/html", </api/v3>; rel="successor-version", </deprecation>; rel="sunset"; type="text/html"',
    Sunset: 'Fri, 02 Jan 2026 12:00:00 GMT',
  })
})
