import type { Catalog } from '../../catalog/catalog.ts'
import type { FacetCount, FacetRequest } from '../../domain/lists/list-request.ts'
import type { RuleSetShape } from '../../domain/rule-set.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'
import { FILTERS, type FilterName, filtersOf, type RankingQuery, toListQuery } from './ranking-query.ts'

/** A value of a facet. `value` is folded, and `label` has the original spelling. */
export type FacetValue = { value: string; label: string; count: number }

/** The values of each facet, the most frequent first. */
export type Facets = Readonly<Record<FilterName, readonly FacetValue[]>>

const MOST_SHOWN: Record<FilterName, number> = { tag: 10, credential: 8, place: 8, human: 2 }

const NAMES = Object.keys(FILTERS) as FilterName[]

const REQUESTS: readonly FacetRequest[] = NAMES.map((name) => ({ field: FILTERS[name] }))

export type FacetReader = ReturnType<typeof createFacetReader>

/** Reads the facets of a list from the index. */
export function createFacetReader(options: ExplorerOptions) {
  const { labelOf, isKnown } = createLabels(options)

  async function present(counts: Counts): Promise<Facets> {
    const all = NAMES.map(async (name, at) => {
      const addLabel = async (each: FacetCount): Promise<FacetValue> => ({
        ...each,
        label: await labelOf(name, each.value, each.first),
      })
      const shown = counts[at]?.slice(0, MOST_SHOWN[name]) ?? []
      return [name, await Promise.all(shown.map(addLabel))] as const
    })
    return Object.fromEntries(await Promise.all(all)) as Record<FilterName, FacetValue[]>
  }

  return {
    labelOf,
    present,
    /** Requests facets for `present` and, for `presentFilters`, a passport with each filter that has no known label. */
    async requestsFor({ filters }: RankingQuery): Promise<readonly FacetRequest[]> {
      const unknown: FacetRequest[] = []
      for (const [name, value] of filtersOf(filters))
        if (!(await isKnown(name, value)))
          unknown.push({ field: FILTERS[name], values: [foldName(value)], among: 'all' })
      return [...REQUESTS, ...unknown]
    },
    /** Returns the label of each filter of a list. The keys are the values in the URL, which may be folded. */
    async presentFilters(
      { filters }: RankingQuery,
      requests: readonly FacetRequest[],
      counts: Counts,
    ): Promise<Map<string, string>> {
      const labels = filtersOf(filters).map(async ([name, value]): Promise<[string, string]> => {
        const [field, folded] = [FILTERS[name], foldName(value)]
        const at = requests.findIndex((each) => each.field === field && each.values?.includes(folded))
        return [value, await labelOf(name, value, counts[at]?.[0]?.first)]
      })
      return new Map(await Promise.all(labels))
    },
    /** Throws `not_ready` while the index is being built. */
    async readAll(query: RankingQuery, signal?: AbortSignal): Promise<Facets> {
      return present(await countFacets(options.catalog, query, REQUESTS, signal))
    },
  }
}

type Counts = readonly (readonly FacetCount[])[]

/** The counts of several facets, with one evaluation of the list. */
export async function countFacets(
  catalog: Catalog,
  query: RankingQuery,
  facets: readonly FacetRequest[],
  signal?: AbortSignal,
): Promise<Counts> {
  const found = await catalog.list({ ...toListQuery(query), facets, limit: 0, signal }, false)
  return found.facets ?? []
}

/** The names of credentials, by their folded type. */
export const namesOf = ({ types }: RuleSetShape): ReadonlyMap<string, string> =>
  new Map(Object.entries(types).map(([type, { name }]) => [foldName(type), name]))

/** Bounds the memory of the labels. */
const MOST_LABELS = 2000

/** The index has folded values. Their labels come from the rule set, or from a passport with the value. */
function createLabels({ store, rules }: ExplorerOptions) {
  const known = new Map<string, string>()

  async function find(name: FilterName, value: string, id: number): Promise<string | undefined> {
    const holder = await store.credentials.find({ id })
    if (!holder) return undefined
    const { tags, location } = holder.passport.profile
    if (name === 'credential') return holder.credentials.find(({ type }) => foldName(type) === value)?.name
    return [location, ...tags].find((text) => foldName(text) === value)
  }

  async function findKnown(name: FilterName, value: string): Promise<string | undefined> {
    if (name === 'human') return value === 'true' ? 'human' : 'not shown to be human'
    const ruled = name === 'credential' ? namesOf(await rules()).get(value) : undefined
    return ruled ?? known.get(`${name} ${value}`)
  }

  return {
    isKnown: async (name: FilterName, text: string) => (await findKnown(name, foldName(text))) !== undefined,
    /** `holder` is the id of a passport with the value. Without it, a text with no known label is returned as is. */
    async labelOf(name: FilterName, text: string, holder?: number): Promise<string> {
      const value = foldName(text)
      const label = await findKnown(name, value)
      if (label !== undefined || holder === undefined) return label ?? text
      const found = (await find(name, value, holder)) ?? text
      if (known.size >= MOST_LABELS) known.clear()
      known.set(`${name} ${value}`, found)
      return found
    },
  }
}
