import { expect, test } from 'bun:test'
import { createHistogram, type Family, presentFamilies } from '../../../src/core/http/prometheus-text.ts'
import { createMetricSums } from '../../../src/serve/metrics-server.ts'
import { parseExposition } from '../../support/http/prometheus.ts'

const counter = (value: number, labels = {}): Family => ({
  name: 'x_total',
  help: 'How many.',
  type: 'counter',
  samples: [{ labels, value }],
})

function histogram(...values: number[]): Family {
  const { observe, read } = createHistogram([0.1, 1])
  for (const value of values) observe(value)
  return { name: 'y_seconds', help: 'How long.', type: 'histogram', samples: [{ labels: {}, ...read() }] }
}

test('a metric family is written in the Prometheus text format', () => {
  expect(presentFamilies([counter(3, { route: 'list' }), histogram(0.05, 0.1, 0.5, 7)])).toBe(
    `# HELP x_total How many.
# TYPE x_total counter
x_total{route="list"} 3
# HELP y_seconds How long.
# TYPE y_seconds histogram
y_seconds_bucket{le="0.1"} 2
y_seconds_bucket{le="1"} 3
y_seconds_bucket{le="+Inf"} 4
y_seconds_sum 7.65
y_seconds_count 4
`,
  )
})

test('quotes, backslashes and line breaks in labels and help are escaped', () => {
  const text = presentFamilies([{ ...counter(1, { a: 'one "two"\n\\n' }), help: 'a\\b\nc' }])
  expect(text).toContain('# HELP x_total a\\\\b\\nc\n')
  expect(text).toContain('x_total{a="one \\"two\\"\\n\\\\n"} 1\n')
  expect(parseExposition(text).value('x_total{a="one \\"two\\"\\n\\\\n"}')).toBe(1)
})

test('the counts of several threads are added up for each series', () => {
  const sums = createMetricSums()
  sums.set(1, [counter(1, { a: 'x' }), histogram(0.05)])
  sums.set(2, [counter(2, { a: 'x' }), histogram(2)])
  sums.set(3, [counter(4, { a: 'y' })])
  const { value } = parseExposition(presentFamilies(sums.read()))
  expect([value('x_total{a="x"}'), value('x_total{a="y"}')]).toEqual([3, 4])
  expect([value('y_seconds_bucket{le="1"}'), value('y_seconds_count'), value('y_seconds_sum')]).toEqual([
    1, 2, 2.05,
  ])
})

test('the sums include the counters of threads that have ended, but not their gauges', () => {
  const gauge: Family = { name: 'memory', help: 'Bytes.', type: 'gauge', samples: [{ labels: {}, value: 9 }] }
  const sums = createMetricSums()
  sums.set(1, [counter(5), gauge])
  sums.end(1)
  sums.set(2, [counter(1), gauge])
  expect(sums.read()).toEqual([counter(6), gauge])
})
