/** Parses the Prometheus text format 0.0.4; throws if it is malformed. */
export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, ParsedFamily>()
  let current: ParsedFamily | undefined
  let help: string | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helped] = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+$/.exec(line) ?? []
    const [, name, type] = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/.exec(line) ?? []
    if (helped !== undefined) help = helped
    else if (name !== undefined && type !== undefined) {
      if (help !== name) throw new Error(`${name} has no help before its type`)
      if (families.has(name)) throw new Error(`${name} comes twice`)
      current = { name, type, samples: new Map() }
      families.set(name, current)
    } else {
      if (!current) throw new Error(`before any type: ${line}`)
      addSample(current, line)
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family)
  return {
    families,
    value: (series) => {
      const [, name = '', labels = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(series) ?? []
      const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
      return family?.samples.get(keyOf(name, parseLabels(labels)))
    },
  }
}

export type Exposition = {
  families: Map<string, ParsedFamily>
  /** The value of a series such as `x_total{a="1"}`; the order of labels is ignored. */
  value(series: string): number | undefined
}

type ParsedFamily = { name: string; type: string; samples: Map<string, number> }

const keyOf = (name: string, labels: Map<string, string>) =>
  JSON.stringify([name, [...labels].sort(([a], [b]) => (a < b ? -1 : 1))])

function addSample(family: ParsedFamily, line: string): void {
  const [, name = '', labels = '', value = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  const allowed =
    family.type === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((end) => family.name + end)
      : [family.name]
  if (!allowed.includes(name)) throw new Error(`not of ${family.name}: ${line}`)
  if (family.type === 'counter' && !name.endsWith('_total'))
    throw new Error(`a counter without _total: ${line}`)
  if (!/^(\+Inf|-Inf|NaN|-?\d+(\.\d+)?(e[+-]\d+)?)$/.test(value)) throw new Error(`no number: ${line}`)
  const key = keyOf(name, parseLabels(labels))
  if (family.samples.has(key)) throw new Error(`twice: ${line}`)
  family.samples.set(key, toNumber(value))
}

const toNumber = (text: string) =>
  text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text)

function parseLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>()
  let rest = text
  while (rest !== '') {
    const [all = '', name = '', value = ''] =
      /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/.exec(rest) ?? []
    if (all === '' || labels.has(name)) throw new Error(`labels that cannot be read: ${text}`)
    labels.set(
      name,
      value.replace(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter)),
    )
    rest = rest.slice(all.length)
  }
  return labels
}

function checkHistogram({ name, samples }: ParsedFamily): void {
  const groups = new Map<string, { bounds: number[]; counts: number[] }>()
  for (const [key, count] of samples) {
    const [sample, pairs] = JSON.parse(key) as [string, [string, string][]]
    if (sample !== `${name}_bucket`) continue
    const others = new Map(pairs.filter(([label]) => label !== 'le'))
    const bound = pairs.find(([label]) => label === 'le')?.[1]
    if (bound === undefined) throw new Error(`a bucket of ${name} without a bound`)
    const group = groups.get(keyOf(name, others)) ?? { bounds: [], counts: [] }
    group.bounds.push(toNumber(bound))
    group.counts.push(count)
    groups.set(keyOf(name, others), group)
    const isLast = bound === '+Inf'
    if (isLast && samples.get(keyOf(`${name}_count`, others)) !== count) {
      throw new Error(`${name}: +Inf is not the count`)
    }
    if (isLast && samples.get(keyOf(`${name}_sum`, others)) === undefined)
      throw new Error(`${name} has no sum`)
  }
  const rises = (numbers: number[]) =>
    numbers.every((each, at) => at === 0 || each >= (numbers[at - 1] as number))
  for (const { bounds, counts } of groups.values()) {
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${name} has no +Inf`)
    if (!rises(bounds) || !rises(counts)) throw new Error(`${name} is not cumulative`)
  }
}
