export { presentFamilies } from '../../../src/core/http/prometheus-text.ts'
/** Parses the Prometheus text format 0.0.4; throws if a line is malformed or repeated. */
export function parseExposition(text: string) {
  /** The value of each series of each metric family. */
  const families = new Map<string, Map<string, number>>()
  const values = new Map<string, number>()
  let family = ''
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('# HELP ')) continue
    const [, name] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? []
    const [, series, value] = /^(\w+(?:\{.*\})?) (-?\d[\d.e+-]*)$/.exec(line) ?? []
    if (name !== undefined && !families.has(name)) {
      family = name
      families.set(name, new Map())
    } else if (series?.startsWith(family) && !values.has(normalize(series))) {
      values.set(normalize(series), Number(value))
      families.get(family)?.set(series, Number(value))
    } else throw new Error(`malformed or repeated, in ${family}: ${line}`)
  }
  /** The value of a series such as `x_total{a="1"}`; the order of labels is ignored. */
  return { families, value: (series: string) => values.get(normalize(series)) }
}

/** Reads the metrics of a node. */
export async function scrape({ metricsUrl }: { metricsUrl: string }) {
  const text = await (await fetch(metricsUrl)).text()
  return { ...parseExposition(text), text }
}

/** The series with its labels sorted. */
function normalize(series: string): string {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
  return [name, ...(labels.match(/\w+="(?:[^"\\]|\\.)*"/g) ?? []).sort()].join()
}
