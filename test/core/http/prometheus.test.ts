import { expect, test } from 'bun:test'
import { type Family, presentFamilies } from '../../../src/core/http/prometheus-text.ts'
import { createMetricSums } from '../../../src/serve/metrics-server.ts'
import { parseExposition } from '../../support/http/prometheus.ts'

const counter = (value: number, labels = {}): Family => ({
  name: 'x_total',
  help: 'How many.',
  type: 'counter',
  samples: [{ labels, value }],
})

test('quotes, backslashes and line breaks in labels and help are escaped', () => {
  const text = presentFamilies([{ ...counter(1, { a: 'one "two"\n\\n' }), help: 'a\\b\nc' }])
  expect(text).toContain('# HELP x_total a\\\\b\\nc\n')
  expect(text).toContain('x_total{a="one \\"two\\"\\n\\\\n"} 1\n')
  expect(parseExposition(text).value('x_total{a="one \\"two\\"\\n\\\\n"}')).toBe(1)
})

test('the sums include the counters of threads that have ended, but not their gauges', () => {
  const gauge: Family = { name: 'memory', help: 'Bytes.', type: 'gauge', samples: [{ labels: {}, value: 9 }] }
  const sums = createMetricSums()
  sums.set(1, [counter(5), gauge])
  sums.end(1)
  sums.set(2, [counter(1), gauge])
  expect(sums.read()).toEqual([counter(6), gauge])
})
