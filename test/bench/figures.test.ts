import { expect, test } from 'bun:test'
import { figureOf } from '../../bench/support/figures.ts'

test('a round without a response is counted and does not change the median', () => {
  const figure = figureOf('by id', '', [3, Number.NaN, 1, 2], { most: 2 })
  expect(figure).toMatchObject({ value: 2, low: 1, high: 3, missing: 1, reached: true })
})

test('without any response, a goal is not reached', () => {
  expect(figureOf('by id', '', [Number.NaN], { least: 1 })).toMatchObject({ missing: 1, reached: false })
})
