export type Labels = Readonly<Record<string, string>>

export type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

export type Sample = { labels: Labels } & ({ value: number } | Buckets)

/** `counts` has one bucket more than `bounds`, for values above all bounds. */
type Buckets = { bounds: readonly number[]; counts: readonly number[]; sum: number }

/** `value` is that of the only series, or the samples of several. */
export const gauge = (name: string, help: string, value: number | readonly Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  samples: typeof value === 'number' ? [{ labels: {}, value }] : value,
})

export const counter = (name: string, help: string, value: number | readonly Sample[]): Family => ({
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

export type Histogram = ReturnType<typeof createHistogram>

export function createHistogram(bounds: readonly number[]) {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(value: number): void {
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      ;(counts[at] as number)++
      sum += value
    },
    read: () => ({ bounds, counts: [...counts], sum }),
  }
}
