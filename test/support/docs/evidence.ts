import { isFile, readPage } from './pages.ts'

/** What verifies each claim of a page: `stress SCENARIO`, or `FILE: TITLE` of a test. */
export type Evidence = Readonly<Record<string, readonly string[]>>

export const readEvidence = (path: string): Evidence => JSON.parse(readPage(path))

/** Returns the names of the claims of a section. A claim is a list item that begins with a bold name. */
export function claimsOf(page: string, firstHeading: string, nextHeading: string): string[] {
  const text = readPage(page)
  const [begin, end] = [text.indexOf(`\n## ${firstHeading}\n`), text.indexOf(`\n## ${nextHeading}\n`)]
  const claims = [...text.slice(begin, end).matchAll(/^- (?:[^*\n]{0,4}\*\*([^*]+?)\.?\*\*)?/gm)]
  return claims.map(([, name = '']) => name.replace(/\s+/g, ' '))
}

export const scenariosOf = (evidence: Evidence): string[] =>
  Object.values(evidence)
    .flat()
    .filter((entry) => entry.startsWith('stress '))
    .map((entry) => entry.slice('stress '.length))

/** Returns the entries that name neither a test nor a scenario that exists. */
export function missingEvidence(evidence: Evidence, scenarios: readonly string[] = []): string[] {
  const entries = Object.values(evidence).flat()
  return entries.filter((entry) => !scenarios.includes(entry.replace(/^stress /, '')) && !isTest(entry))
}

function isTest(entry: string): boolean {
  const [file = '', ...title] = entry.split(': ')
  return isFile(file) && readPage(file).includes(`'${title.join(': ')}'`)
}
