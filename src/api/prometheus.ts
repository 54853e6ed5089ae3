export type Labels = Readonly<Record<string, string>>

export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; samples: readonly { labels: Labels; value: number }[] }
  | { type: 'histogram'; samples: readonly HistogramSample[] }
)

/** `counts` has one more than `bounds`, and each is what fell between two of them. */
export type HistogramSample = {
  labels: Labels
  bounds: readonly number[]
  counts: readonly number[]
  sum: number
}

/** Prometheus' text format. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export const presentFamilies = (families: readonly Family[]): string =>
  families
    .map((family) => {
      const { name, help, type } = family
      const lines =
        family.type === 'histogram'
          ? family.samples.flatMap((sample) => presentHistogram(name, sample))
          : family.samples.map(({ labels, value }) => line(name, labels, value))
      return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')

function presentHistogram(name: string, { labels, bounds, counts, sum }: HistogramSample): string[] {
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

const presentNumber = (value: number) =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

/**
 * What several processes counted, as one. What those that are gone counted stays, so that no counter ever goes back;
 * their gauges are gone with them.
 */
export function addUp(living: readonly (readonly Family[])[], gone: readonly Family[] = []): Family[] {
  const sums = new Map<string, Family>()
  for (const family of [...gone.filter(({ type }) => type !== 'gauge'), ...living.flat()]) {
    const sum = sums.get(family.name)
    sums.set(family.name, sum ? addFamily(sum, family) : family)
  }
  return [...sums.values()]
}

function addFamily(one: Family, other: Family): Family {
  if (one.type === 'histogram' && other.type === 'histogram') {
    return { ...one, samples: addSamples(one.samples, other.samples, addHistogram) }
  }
  if (one.type === 'histogram' || other.type === 'histogram') return one
  const add = <T extends { value: number }>(a: T, b: T) => ({ ...a, value: a.value + b.value })
  return { ...one, samples: addSamples(one.samples, other.samples, add) }
}

const addHistogram = (one: HistogramSample, other: HistogramSample): HistogramSample => ({
  ...one,
  counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
  sum: one.sum + other.sum,
})

function addSamples<T extends { labels: Labels }>(
  one: readonly T[],
  other: readonly T[],
  add: (a: T, b: T) => T,
): T[] {
  const sums = new Map<string, T>()
  for (const sample of [...one, ...other]) {
    const key = JSON.stringify(sample.labels)
    const sum = sums.get(key)
    sums.set(key, sum ? add(sum, sample) : sample)
  }
  return [...sums.values()]
}
