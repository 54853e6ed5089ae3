export type Labels = Readonly<Record<string, string>>

export type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Whether values of several threads are merged into their minimum instead of their sum. */
  isMinimum?: boolean
  samples: readonly Sample[]
}

type Sample = { labels: Labels } & ({ value: number } | Histogram)

/** `counts` has one bucket more than `bounds`, for values above all bounds. */
type Histogram = { bounds: readonly number[]; counts: readonly number[]; sum: number }

export const gauge = (name: string, help: string, value: number, labels: Labels = {}): Family => ({
  name,
  help,
  type: 'gauge',
  samples: [{ labels, value }],
})

export const counter = (name: string, help: string, value: number): Family => ({
  ...gauge(name, help, value),
  type: 'counter',
})

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export const presentFamilies = (families: readonly Family[]): string =>
  families
    .map(({ name, help, type, samples }) => {
      const lines = samples.flatMap((sample) => presentSample(name, sample))
      return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')

function presentSample(name: string, sample: Sample): string[] {
  const { labels } = sample
  if ('value' in sample) return [line(name, labels, sample.value)]
  const { bounds, counts, sum } = sample
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += counts[at] ?? 0
    return line(`${name}_bucket`, { ...labels, le: presentNumber(bound) }, count)
  })
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${presentNumber(value)}`
}

const presentNumber = (value: number) => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

/** The metrics of all threads. */
export function createMetricSums() {
  const running = new Map<unknown, readonly Family[]>()
  let ended: Family[] = []
  return {
    set: (thread: unknown, families: readonly Family[]) => void running.set(thread, families),
    end(thread: unknown): void {
      ended = sumMetrics([], sumMetrics([running.get(thread) ?? []], ended))
      running.delete(thread)
    },
    read: (): Family[] => sumMetrics([...running.values()], ended),
  }
}

/** Adds up the metrics of all threads. Includes counters, but not gauges, of ended threads: no counter decreases. */
export const sumMetrics = (
  running: readonly (readonly Family[])[],
  ended: readonly Family[] = [],
): Family[] =>
  mergeBy([...ended.filter(({ type }) => type !== 'gauge'), ...running.flat()], ({ name }) => name, addFamily)

/** Merges the items that have the same key. */
const mergeBy = <T>(items: readonly T[], keyOf: (item: T) => string, merge: (one: T, other: T) => T): T[] =>
  [...Map.groupBy(items, keyOf).values()].map((same) => same.reduce((one, other) => merge(one, other)))

/** Both families have the same type. */
function addFamily(one: Family, other: Family): Family {
  const keyOf = ({ labels }: Sample) => JSON.stringify(labels)
  const merge = (sum: Sample, sample: Sample) => combine(sum, sample, one.isMinimum)
  return { ...one, samples: mergeBy([...one.samples, ...other.samples], keyOf, merge) }
}

function combine(one: Sample, other: Sample, isMinimum = false): Sample {
  if ('value' in one && 'value' in other)
    return { ...one, value: isMinimum ? Math.min(one.value, other.value) : one.value + other.value }
  if ('value' in one || 'value' in other) return one
  const counts = one.counts.map((count, at) => count + (other.counts[at] ?? 0))
  return { ...one, counts, sum: one.sum + other.sum }
}
