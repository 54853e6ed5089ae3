import { foldName } from '../../../core/basics/text/fold-name.ts'
import type { Catalog } from '../../../core/index/catalog.ts'
import { compareLevels, describeBounds, parseComparison } from '../../../core/lists/comparison.ts'
import { describeFilter } from '../../../core/lists/describe-filter.ts'
import { parseFilter } from '../../../core/lists/filter.ts'
import type { FacetCount, FacetRequest, GroupField } from '../../../core/lists/list-request.ts'
import { namesOf } from '../../../core/passport/rules/rule-set.ts'
import type { FacetName, FilterName, RankingQuery } from '../../../ui/list-address.ts'
import { FILTERS, filtersOf, toListQuery } from '../../../ui/list-address.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import { formatFigure } from '../../../ui/text.ts'

/** A value of a facet. `value` is folded, and `label` has the original spelling. Levels have no count. */
type FacetValue = { value: string; label: string; count?: number }

/** The values of each facet, the most frequent first. Those of `score` are the levels, from the lowest on. */
export type Facets = Readonly<Record<FacetName | 'score', readonly FacetValue[]>>

/** A filter of a list. */
export type ActiveFilter = { name: FilterName; value: string; label: string }

const MOST_SHOWN: Record<FacetName, number> = { tag: 10, credential: 8, place: 8, human: 2 }

const NAMES = Object.keys(MOST_SHOWN) as FacetName[]

const REQUESTS: readonly FacetRequest[] = NAMES.map((name) => ({ field: FILTERS[name] }))

export type FacetReader = ReturnType<typeof createFacetReader>

/** Reads the facets of a list from the index. */
export function createFacetReader(options: ExplorerOptions) {
  const { labelOf, findKnown } = createLabels(options)

  const addLabels = (
    name: FacetName,
    counts: readonly FacetCount[],
  ): Promise<(FacetCount & { label: string })[]> =>
    Promise.all(counts.map(async (each) => ({ ...each, label: await labelOf(name, each.value, each.first) })))

  return {
    labelOf,
    addLabels,
    /** Requests what `present` shows and, for `presentFilters`, a passport with each filter whose label is unknown. */
    async requestsFor({ filters }: RankingQuery): Promise<readonly FacetRequest[]> {
      const unknown: FacetRequest[] = []
      for (const [name, value] of filtersOf(filters).flatMap(partsOf))
        if ((await findKnown(name, value)) === undefined)
          unknown.push({ field: FILTERS[name] as GroupField, values: [value], among: 'all' })
      return [...REQUESTS, ...unknown]
    },
    /** Adds a label to each filter of a list. `facets` are those of the list. */
    async presentFilters(
      { filters }: RankingQuery,
      requests: readonly FacetRequest[],
      { facets = [] }: Found,
    ): Promise<ActiveFilter[]> {
      const find = ([name, value]: [FilterName, string]) => {
        const at = requests.findIndex((each) => each.field === FILTERS[name] && each.values?.includes(value))
        return labelOf(name, value, facets[at]?.[0]?.first)
      }
      const present = async ([name, value]: [FilterName, string]) => {
        const parts = await Promise.all(partsOf([name, value]).map(find))
        const label = name === 'filter' ? describeFilter(value, parts) : (parts[0] ?? value)
        return { name, value, label }
      }
      return Promise.all(filtersOf(filters).map(present))
    },
    /** Adds labels to the facets of a list, and its levels. Throws `not_ready` while the index is being built. */
    async present(found: Found, query: RankingQuery, signal: AbortSignal): Promise<Facets> {
      const rules = await options.rules()
      const list = { ...toListQuery(query), facets: REQUESTS, limit: 0, signal }
      const { facets: counts = [] } = found.facets ? found : await options.catalog.list(list, false)
      const all = NAMES.map(async (name, at) => {
        const shown = counts[at]?.slice(0, MOST_SHOWN[name]) ?? []
        return [name, await addLabels(name, shown)] as const
      })
      const score: readonly FacetValue[] = compareLevels(rules.levels)
      return Object.fromEntries([...(await Promise.all(all)), ['score', score]]) as Facets
    },
  }
}

/** The values in a filter of v3, or the filter itself. */
const partsOf = ([name, value]: [FilterName, string]): [FilterName, string][] =>
  name !== 'filter'
    ? [[name, value]]
    : parseFilter(value).flatMap(({ field, conditions }) => {
        const facet = NAMES.find((each) => FILTERS[each] === field)
        return facet ? conditions.map(({ value }): [FilterName, string] => [facet, String(value)]) : []
      })

type Counts = readonly (readonly FacetCount[])[]
type Found = Pick<Awaited<ReturnType<Catalog['list']>>, 'facets'>

/** The counts of several facets, with one evaluation of the list. */
export async function countFacets(
  catalog: Catalog,
  query: RankingQuery,
  facets: readonly FacetRequest[],
  signal: AbortSignal,
): Promise<Counts> {
  const found = await catalog.list({ ...toListQuery(query), facets, limit: 0, signal }, false)
  return found.facets ?? []
}

/** Bounds the memory of the labels. */
const MOST_LABELS = 2000

/** The index has folded values. Their labels come from the rule set, or from a passport with the value. */
function createLabels({ store, rules }: ExplorerOptions) {
  const known = new Map<string, string>()

  async function find(name: FilterName, value: string, id: number): Promise<string | undefined> {
    const holder = await store.passports.findWithCredentials({ id })
    if (!holder) return undefined
    const { tags, location } = holder.passport.profile
    if (name === 'credential') return holder.credentials.find(({ type }) => foldName(type) === value)?.name
    return [location, ...tags].find((text) => foldName(text) === value)
  }

  async function findKnown(name: FilterName, value: string): Promise<string | undefined> {
    if (name === 'human') return value === 'true' ? 'human' : 'no human check'
    if (name === 'points' || name === 'score') return describeComparison(name, value)
    const ruled = name === 'credential' ? namesOf(await rules()).get(value) : undefined
    return ruled ?? known.get(`${name} ${value}`)
  }

  /** Returns "GitHub over 20 points", "skills 50 to 60" or "level Advanced". */
  async function describeComparison(name: FilterName, comparison: string): Promise<string> {
    const level = compareLevels((await rules()).levels).find(({ value }) => value === comparison)
    if (name === 'score' && level) return `level ${level.label}`
    const { type, bounds } = parseComparison(comparison)
    const words = describeBounds(bounds, formatFigure)
    if (name === 'score') return `${type || 'score'} ${words}`
    return `${(await findKnown('credential', type)) ?? type} ${words} points`
  }

  return {
    findKnown,
    /** `holder` is the id of a passport with the folded value. Without it, a value with no known label is its own label. */
    async labelOf(name: FilterName, value: string, holder?: number): Promise<string> {
      const label = await findKnown(name, value)
      if (label !== undefined || holder === undefined) return label ?? value
      const found = (await find(name, value, holder)) ?? value
      if (known.size >= MOST_LABELS) known.clear()
      known.set(`${name} ${value}`, found)
      return found
    },
  }
}
