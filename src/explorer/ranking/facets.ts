import type { Catalog } from '../../catalog/catalog.ts'
import type { RuleSetShape } from '../../domain/rule-set.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { GroupField } from '../../domain/v3/list-request.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { equals, FILTERS, type FilterName, type RankingQuery, toListQuery } from './ranking-query.ts'

/** A value of a facet: `value` is folded, `label` is as people write it. */
export type FacetValue = { value: string; label: string; count: number }

/** The most frequent values first. */
export type Facets = Readonly<Record<FilterName, readonly FacetValue[]>>

const MOST_SHOWN: Record<FilterName, number> = { tag: 10, credential: 8, place: 8, human: 2 }

export type FacetReader = ReturnType<typeof createFacetReader>

/** Reads the facets of a list from the index. Throws `not_ready` while the index is being built. */
export function createFacetReader(options: ExplorerOptions) {
  const { catalog } = options
  const labels = createLabels(options)

  async function read(query: RankingQuery, name: FilterName, signal?: AbortSignal): Promise<FacetValue[]> {
    const groups = await countValues(catalog, query, FILTERS[name], signal)
    const shown = groups.slice(0, MOST_SHOWN[name])
    return Promise.all(
      shown.map(async ({ value, count }) => ({ value, count, label: await labels(name, value) })),
    )
  }

  return {
    async readAll(query: RankingQuery, signal?: AbortSignal): Promise<Facets> {
      const names = Object.keys(FILTERS) as FilterName[]
      const all = await Promise.all(names.map(async (name) => [name, await read(query, name, signal)]))
      return Object.fromEntries(all) as Facets
    },
    labelOf: labels,
  }
}

/** The values of a field in a list, with a word that begins with `groupPrefix`, the most frequent first; passports without a value are left out. */
export async function countValues(
  catalog: Catalog,
  query: RankingQuery,
  groupBy: GroupField,
  signal?: AbortSignal,
  groupPrefix?: string,
): Promise<{ value: string; count: number }[]> {
  const request = { ...toListQuery(query), groupBy, groupPrefix, limit: 0, signal }
  const { grouped } = await catalog.list(request, false)
  return (grouped?.groups ?? []).flatMap(({ value, count }) => (value === null ? [] : [{ value, count }]))
}

/** The names of credentials, by their folded type. */
export const namesOf = ({ types }: RuleSetShape): ReadonlyMap<string, string> =>
  new Map(Object.entries(types).map(([type, { name }]) => [foldName(type), name]))

/** Bounds the memory. */
const MOST_LABELS = 2000

/** The index has folded values. Their display text comes from the rule set, or from the holder with the highest score. */
function createLabels({ store, catalog, rules }: ExplorerOptions) {
  const known = new Map<string, string>()

  async function find(name: FilterName, value: string): Promise<string | undefined> {
    const sort = { field: 'score', descending: true } as const
    const filter = [equals(FILTERS[name], value)]
    const [id = -1] = (await catalog.list({ filter, sort, limit: 1 }, false)).ids
    const holder = await store.credentials.find({ id })
    if (!holder) return undefined
    const { tags, location } = holder.passport.profile
    if (name === 'credential') return holder.credentials.find(({ type }) => foldName(type) === value)?.name
    return [location, ...tags].find((text) => foldName(text) === value)
  }

  return async (name: FilterName, text: string): Promise<string> => {
    const value = foldName(text)
    if (name === 'human') return value === 'true' ? 'human' : 'not shown to be human'
    const ruled = name === 'credential' ? namesOf(await rules()).get(value) : undefined
    if (ruled !== undefined) return ruled
    const key = `${name} ${value}`
    const label = known.get(key) ?? (await find(name, value)) ?? text
    if (known.size >= MOST_LABELS) known.clear()
    known.set(key, label)
    return label
  }
}
