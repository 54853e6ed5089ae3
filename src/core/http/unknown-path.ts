import { nearestName } from '../basics/text/nearest-name.ts'
import { quote } from '../basics/text/quote.ts'
import { isDocumented, type Route, route, type Surface } from './route.ts'

/** Two routes that respond with 404: one for the base path, one for all paths below it without another route. */
export const unknownPaths = (surface: Surface, base: string, name: string, missing?: string): Route[] =>
  [base, `${base}/*`].map((path) => route(surface, { path, name, ...(missing && { missing }) }))

/** The paths of V1 and V2, which programs guess, with `{id}` for a parameter. */
export const guessablePaths = (routes: readonly Route[]): string[] =>
  routes
    .filter((route) => route.surface.retires && isDocumented(route))
    .map(({ path }) => path.replace(/:(\w+)/g, '{$1}'))

/** Names the most similar path, so that programs do not mistake an unknown path for an unknown passport. */
export function describeUnknownPath(path: string, paths: readonly string[]): string {
  const nearest = findNearest(path, paths)
  const advice = nearest === undefined ? '' : ` The nearest path is ${nearest}.`
  return `There is no path ${quote(path)}.${advice} docs/migrate.md describes the paths.`
}

/** Of the paths with the same name, one of the same version, and one that ends with a parameter if this one does. */
function findNearest(path: string, paths: readonly string[]): string | undefined {
  const name = nearestName(lastSegmentOf(path), paths.map(lastSegmentOf)) ?? 'passports'
  const distance = (candidate: string) =>
    2 * Number(versionOf(candidate) !== versionOf(path)) +
    Number(hasParameter(candidate) !== hasParameter(path))
  return paths.filter((route) => lastSegmentOf(route) === name).sort((a, b) => distance(a) - distance(b))[0]
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

const isParameter = (segment = '') => /^(\{|0x|\d+$)/i.test(segment)

const hasParameter = (path: string) => isParameter(segmentsOf(path).at(-1))

/** The last segment that is not a parameter. */
const lastSegmentOf = (path: string) => segmentsOf(path).findLast((segment) => !isParameter(segment)) ?? ''

const versionOf = (path: string) => /^\/api\/v\d+(?=\/|$)/.exec(path)?.[0]
