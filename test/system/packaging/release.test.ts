import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { runtimePackage, TARGETS } from '../../../deploy/executable.ts'
import { checksums, createSbom, packServer, releaseNotes } from '../../../deploy/release.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { packages } = JSON.parse(read('package-lock.json'))
const { devDependencies, dependencies, version } = JSON.parse(read('package.json'))

test('a release has executables for Linux with glibc and musl, macOS and Windows', () => {
  expect(TARGETS.toSorted()).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-arm64-musl',
    'linux-x64',
    'linux-x64-musl',
    'windows-x64',
  ])
})

test.each(TARGETS)(
  'the lockfile has a hash of the runtime for %s, in the version that the tests use',
  (target) => {
    const runtime = packages[`node_modules/${runtimePackage(target)}`]
    expect(runtime).toMatchObject({
      version: dependencies.bun,
      integrity: expect.stringMatching(/^sha512-/),
    })
  },
)

test('an unknown target is refused with the list of targets', async () => {
  const { exitCode, stderr } = await $`${process.execPath} deploy/executable.ts linux-386`
    .cwd(ROOT)
    .quiet()
    .nothrow()
  expect([exitCode, `${stderr}`]).toEqual([
    1,
    `Unknown target "linux-386". Use ${TARGETS.join(', ')} or all.\n`,
  ])
})

test('a runtime whose hash differs from the lockfile is refused', async () => {
  using folder = tempFolder()
  const packed = JSON.stringify([{ integrity: 'sha512-other', filename: 'other.tgz' }])
  writeFileSync(join(folder.path, 'npm'), `#!/bin/sh\necho '${packed}'\n`, { mode: 0o755 })
  const { exitCode, stderr } = await $`${process.execPath} deploy/executable.ts linux-x64`
    .cwd(ROOT)
    .env({ ...process.env, PATH: `${folder.path}:${process.env.PATH}` })
    .quiet()
    .nothrow()
  expect([exitCode, `${stderr}`]).toEqual([1, expect.stringContaining('has the hash sha512-other')])
})

type Component = { name: string; version: string; purl: string; hashes?: { alg: string }[] }

test('the SBOM has every installed production package and every runtime, and no development package', async () => {
  const { bomFormat, components, metadata } = JSON.parse(await createSbom()) as {
    bomFormat: string
    components: Component[]
    metadata: { component: Component }
  }
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'passportd'])
  const names = components.map(({ name, version }) => `${name}@${version}`)
  const installed = (await $`npm ls --omit=dev --all --parseable`.cwd(ROOT).quiet().text())
    .trim()
    .split('\n')
    .slice(1)
    .map((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
    .filter(({ name }) => !name.startsWith('@passportd/'))
    .map(({ name, version }) => `${name}@${version}`)
  expect(installed.some((name) => name.startsWith('@oven/bun-'))).toBe(true)
  expect(names).toEqual(expect.arrayContaining(installed))
  expect(names).toEqual(
    expect.arrayContaining(TARGETS.map((target) => `${runtimePackage(target)}@${dependencies.bun}`)),
  )
  const developed = components.filter(({ name }) => Object.hasOwn(devDependencies, name))
  expect(developed).toEqual([])
  for (const { hashes } of components) expect(hashes?.[0]?.alg).toBe('SHA-512')
})

test('npm ci in the unpacked package of a release refuses a dependency whose hash differs from the lockfile', async () => {
  using folder = tempFolder()
  const cwd = join(folder.path, 'package')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{"name":"forged","version":"1.0.0"}')
  const forged = join(folder.path, 'forged.tgz')
  await $`tar -czf ${forged} package`.cwd(folder.path).quiet()
  await $`tar -xzf ${await packServer(folder.path)}`.cwd(folder.path).quiet()
  // Has the same contents for every dependency.
  await using registry = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const { pathname, origin } = new URL(url)
      const name = decodeURIComponent(pathname.slice(1))
      const found = packages[`node_modules/${name}`]
      if (!found) return new Response(Bun.file(forged))
      const dist = { tarball: `${origin}/-/forged.tgz` }
      const versions = { [found.version]: { name, version: found.version, dist } }
      return Response.json({ name, 'dist-tags': { latest: found.version }, versions })
    },
  })
  // Names its errors also below "npm run --silent".
  const options = [
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=0',
    '--loglevel=error',
  ]
  const { exitCode, stderr } =
    await $`npm ci ${options} --registry=${registry.url} --cache=${join(folder.path, 'cache')}`
      .cwd(cwd)
      .quiet()
      .nothrow()
  expect([exitCode, `${stderr}`]).toEqual([1, expect.stringContaining('EINTEGRITY')])
})

test('SHA256SUMS has the form that "sha256sum --check" reads', async () => {
  using folder = tempFolder()
  writeFileSync(join(folder.path, 'b'), 'abc')
  writeFileSync(join(folder.path, 'a'), '')
  expect(await checksums(folder.path)).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n' +
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n',
  )
})

test('the release notes are the first section of the changelog', () => {
  expect(releaseNotes('# Changelog\n\n## 2.0.0\n\nAdded:\n\n- One.\n\n## 1.0.0\n\n- Zero.\n')).toBe(
    'Added:\n\n- One.\n',
  )
  expect(releaseNotes(read('CHANGELOG.md'))).toContain('\n- ')
})

test('package.json has the version of the first section of CHANGELOG.md, with the suffix -dev until its release', () => {
  const [, heading = ''] = /^## (.+)$/m.exec(read('CHANGELOG.md')) ?? []
  expect(version).toBe(heading.replace(/^Unreleased \((.+)\)$/, '$1-dev'))
  const { version: client } = JSON.parse(read('packages/client/package.json'))
  expect([packages[''].version, packages['packages/client'].version, client]).toEqual([
    version,
    version,
    version,
  ])
})
